package io.repave.core.ledger;

import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * The schemas in a task's message, compressed: a task may write one file of many columns, and the
 * messages of all tasks stay in the driver's memory.
 */
final class PackedSchemas {
  private PackedSchemas() {}

  static byte[] pack(SchemaList schemas) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(packed))) {
      for (int place = 0; place < schemas.size(); place++) {
        byte[] utf8 = schemas.at(place).orElseThrow().json().getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
      }
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    return packed.toByteArray();
  }

  /** Reads some schemas, as the instances of {@code shared} as far as they have room there. */
  static SchemaList unpack(byte[] packed, int count, SchemaList shared)
      throws InvalidRecordException {
    SchemaList schemas = new SchemaList();
    try (DataInputStream in =
        new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(packed)))) {
      for (int i = 0; i < count; i++) {
        int length = in.readInt();
        byte[] utf8 = length < 0 || length > Schema.BYTES_MAX ? new byte[0] : in.readNBytes(length);
        Optional<Schema> schema = Schema.of(new String(utf8, StandardCharsets.UTF_8));
        if (utf8.length != length || schema.isEmpty() || !schemas.add(shared.shared(schema))) {
          throw FormatErrors.badTaskLedger("a schema is empty, or the schemas are too long");
        }
      }
      return schemas;
    } catch (EOFException | ZipException damaged) {
      throw FormatErrors.badTaskLedger("its schemas cannot be unpacked");
    } catch (InvalidRecordException refused) {
      throw refused;
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be read", e);
    }
  }
}
