#!/bin/bash
# What Spark's image does for the two kinds of pods: see Spark's documentation of Kubernetes.
set -euo pipefail
role=$1
shift
if [[ $role == driver ]]; then
  exec tini -s -- "$SPARK_HOME/bin/spark-submit" --deploy-mode client \
    --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS" "$@"
fi
options=()
while read -r name; do
  options+=("${!name}")
done < <(compgen -e SPARK_JAVA_OPT_ | sort -t_ -k4 -n)
exec tini -s -- "$JAVA_HOME/bin/java" "${options[@]}" \
  "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
  -cp "${SPARK_CONF_DIR:-$SPARK_HOME/conf}:${SPARK_CLASSPATH:-}:$SPARK_HOME/jars/*" \
  org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
  --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" \
  --cores "$SPARK_EXECUTOR_CORES" --app-id "$SPARK_APPLICATION_ID" \
  --hostname "$SPARK_EXECUTOR_POD_IP" --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" \
  --podName "$SPARK_EXECUTOR_POD_NAME"
