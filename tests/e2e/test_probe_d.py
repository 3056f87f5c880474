# ruff: noqa
import datetime as dtm, itertools, json
from decimal import Decimal
import pytest, pyarrow as pa, pyarrow.dataset as ds, polars as pl, duckdb, deltalake
import repave
from e2e.delta_rows import reading
from e2e.delta_readers import copied, stored, READERS, delta_table

@pytest.fixture(autouse=True)
def _settings(spark, monkeypatch):
    with reading(spark, monkeypatch):
        yield

KINDS={
 'int':["1","02","-3",None],
 'bigint':["1","3000000000",None,"-5"],
 'dec':["1","99999999999999999999",None],
 'dbl':["1.5","2.0","NaN",None,"1e300","-0.0",".5"],
 'intdbl':["1","1.5","7"],
 'date':["2026-01-01","0001-01-01","9999-12-31",None],
 'ts':["2026-01-01 00:00:00","2026-01-01 00:00:00.5","1969-12-31 23:59:59",None],
 'datets':["2026-01-01 00:00:00","2026-01-02",None],
 'mixed':["1","a",None,"2026-01-01"],
 'null':[None],
 'bool':["true","false",None],
}
def test_kinds(spark, lake, tmp_path):
    bad=[]
    for kind,vals in KINDS.items():
      for order in ("once","steps"):
        t=lake.table(f"kind-{kind}-{order}")
        df=spark.createDataFrame([(i,v) for i,v in enumerate(vals)],"id int, k string").coalesce(1)
        steps=[df] if order=="once" else [df.where(f"id={i}") for i in range(len(vals))]
        behind=False
        for s in steps:
            s.write.mode("append").partitionBy("k").option("repave.readers","snapshot").option("repave.followers","delta").option("repave.stats.columns","id").parquet(t.url)
        url=t.url.replace("s3a:","repave:")
        sp=spark.read.parquet(url)
        styp=sp.schema["k"].dataType.simpleString()
        want={r.id:r.s for r in sp.selectExpr("id","cast(k as string) s").collect()}
        snap=repave.snapshot(t.url,endpoint_url=lake.proxy.endpoint)
        atyp=snap.partition_types["k"]
        if atyp!=styp and not (styp=='void' and atyp=='string'): bad.append((kind,order,'type',styp,atyp))
        full=snap.arrow().to_table()
        def norm(v):
            if isinstance(v,dtm.datetime):
                v=v.replace(tzinfo=None); s=v.isoformat(sep=' '); return s.rstrip('0').rstrip('.') if '.' in s else s
            if isinstance(v,float):
                return {'nan':'NaN','inf':'Infinity','-inf':'-Infinity'}.get(repr(v), repr(v).replace('1e+300','1.0E300').replace('1e300','1.0E300'))
            return None if v is None else str(v)
        got={r['id']:norm(r['k']) for r in full.to_pylist()}
        if got!=want: bad.append((kind,order,'snap',got,want))
        st=repave.RepaveTable.for_path(spark,t.url).status()
        if any(f.behind for f in st.followers): print(kind,order,'BEHIND'); continue
        place=copied(t,tmp_path/f"{kind}-{order}")
        sch={f.name:str(f.type) for f in delta_table(place).schema().fields}
        print(kind,order,styp,atyp,sch['k'])
        for name,read in READERS.items():
            try:
                g={r['id']:norm(r['k']) for r in read(place,None)}
                if g!=want: bad.append((kind,order,name,g,want))
            except Exception as ex: bad.append((kind,order,name,repr(ex)[:300]))
        # filters
        dset=delta_table(place).to_pyarrow_dataset(); dfull=dset.to_table()
        for r in dfull.to_pylist():
            v=r['k']; 
            e=ds.field('k').is_null() if v is None else ds.field('k')==pa.scalar(v,dfull.schema.field('k').type)
            w=sorted(dfull.filter(e)['id'].to_pylist()); g=sorted(dset.to_table(filter=e)['id'].to_pylist())
            if g!=w: bad.append((kind,order,'dpa',v,g,w))
            try: fp=pl.scan_delta(place.url).collect()
            except Exception as ex: bad.append((kind,order,'plerr',repr(ex)[:200])); break
            pe=pl.col('k').is_null() if v is None else pl.col('k')==pl.lit(v,dtype=fp.schema['k'])
            w=sorted(fp.filter(pe)['id'].to_list()); 
            for nm,o in (('dpl',{}),('dplpa',{'use_pyarrow':True})):
                try: g=sorted(pl.scan_delta(place.url,**o).filter(pe).collect()['id'].to_list())
                except Exception as ex: g=repr(ex)[:200]
                if g!=w: bad.append((kind,order,nm,v,g,w))
    print(len(bad))
    for b in bad: print(str(b)[:600])
    assert not bad

def test_life(spark, lake, tmp_path):
    """Appends, overwrites, drops, adopts, schema changes, rollbacks, in random order; every reader at every version."""
    import random
    bad=[]
    for seed in range(6):
        rnd=random.Random(seed); readers=rnd.choice(["snapshot","listing"])
        t=lake.table(f"life-{seed}"); url=t.url.replace("s3a:","repave:")
        h=None; hist={}
        n=0
        for step in range(9):
            op=rnd.choice(["append","append","dynamic","static","drop","rollback","column","empty","adopt","revert"]) if h else "append"
            n+=1
            cols=["id","id*10 as v"]+(["string(id) as extra"] if rnd.random()<.4 else [])+(["named_struct('a',int(id)) as s"] if rnd.random()<.4 else [])
            df=spark.range(n*100,n*100+4).coalesce(1).selectExpr(*cols,"date_add(date'2026-01-01',int(id%3)) as dt", "if(id%4=0,null,concat('r ',id%2)) as r")
            w=df.write.partitionBy("dt","r").option("repave.readers",readers).option("repave.followers","delta,symlink").option("repave.stats.columns",rnd.choice(["id","id,v","","extra,id"]))
            if op in("append","column"): w.mode("append").parquet(t.url)
            elif op=="dynamic": w.mode("overwrite").option("partitionOverwriteMode","dynamic").parquet(t.url)
            elif op=="static": w.mode("overwrite").option("partitionOverwriteMode","static").parquet(t.url)
            elif op=="empty": df.where("id<0").write.partitionBy("dt","r").mode("overwrite").option("partitionOverwriteMode","static").parquet(t.url)
            elif op=="drop":
                ps=[p for p in h.files()] ; parts=sorted({f.partition for f in ps})
                if parts: h.drop_partitions(rnd.choice(parts))
            elif op=="rollback" and readers=="snapshot":
                vs=[v for v in hist]; h.rollback(rnd.choice(vs))
            elif op=="adopt" and readers=="listing":
                src=lake.table(f"life-{seed}-src-{step}")
                df.write.partitionBy("dt","r").option("repave.enabled","false").parquet(src.url)
                for k in src.data():
                    lake.client.copy_object(Bucket=lake.bucket,Key=f"{t.name}/{k}",CopySource={"Bucket":lake.bucket,"Key":f"{src.name}/{k}"})
                h.adopt()
            h=repave.RepaveTable.for_path(spark,t.url)
            ver=h.status().version
            snap=repave.snapshot(t.url,endpoint_url=lake.proxy.endpoint)
            try:
                ids=sorted((r.id,r.v) for r in spark.read.schema("id long, v long").parquet(url).select("id","v").collect()) if snap.files else []
            except Exception as ex:
                ids='ERR '+repr(ex)[:100]
            hist[ver]=ids
            a=sorted((r['id'],r['v']) for r in snap.arrow().to_table().to_pylist()) if snap.files else []
            if a!=ids: bad.append((seed,step,op,'snap',a,ids))
            st=h.status()
            if any(f.behind for f in st.followers): bad.append((seed,step,op,'behind',[(f.follower,f.behind) for f in st.followers])); break
            place=copied(t,tmp_path/f"{seed}-{step}")
            for name,read in READERS.items():
                if not snap.files: continue
                g=sorted((r['id'],r['v']) for r in read(place,None))
                if g!=ids: bad.append((seed,step,op,name,g,ids))
            dset=delta_table(place).to_pyarrow_dataset(); full=dset.to_table()
            for c in full.schema.names:
                if pa.types.is_nested(full.schema.field(c).type): continue
                for v in list(dict.fromkeys(full[c].to_pylist()))[:4]:
                    e=ds.field(c).is_null() if v is None else ds.field(c)==pa.scalar(v,full.schema.field(c).type)
                    w=sorted(full.filter(e)['id'].to_pylist())
                    for nm,d2 in (('dpa',dset),):
                        g=sorted(d2.to_table(filter=e)['id'].to_pylist())
                        if g!=w: bad.append((seed,step,op,nm,c,v,g,w))
                    pe=pl.col(c).is_null() if v is None else pl.col(c)==v
                    g=sorted(pl.scan_delta(place.url).filter(pe).collect()['id'].to_list())
                    if g!=w: bad.append((seed,step,op,'dpl',c,v,g,w))
                    g=sorted(snap.polars().filter(pe).collect()['id'].to_list()) if c in snap.arrow().schema.names else w
                    if g!=w: bad.append((seed,step,op,'spl',c,v,g,w))
            # symlinks
            lines=[]
            for k in t.listing():
                if k.startswith("_symlink_format_manifest/"):
                    lines+=lake.client.get_object(Bucket=lake.bucket,Key=f"{t.name}/{k}")["Body"].read().decode().split("\n")
            lines=sorted(x for x in lines if x); uris=sorted(snap.uris())
            if lines!=uris: bad.append((seed,step,op,'symlink',len(lines),len(uris), [x for x in lines if x not in uris][:2],[x for x in uris if x not in lines][:2]))
        if readers=="snapshot":
            place=copied(t,tmp_path/f"{seed}-end")
            for v,ids in hist.items():
                try: g=sorted((r['id'],r['v']) for r in delta_table(place,v).to_pyarrow_table().to_pylist())
                except Exception as ex: g=repr(ex)[:200] 
                if g!=ids and ids: bad.append((seed,v,'old version',g,ids))
                s=repave.snapshot(t.url,v,endpoint_url=lake.proxy.endpoint)
                g=sorted((r['id'],r['v']) for r in s.arrow().to_table().to_pylist()) if s.files else []
                if g!=ids: bad.append((seed,v,'old snap',g,ids))
    print(len(bad))
    for b in bad: print(str(b)[:500])
    assert not bad
