// Reads Parquet by a program that is not the one that wrote it: hyparquet, in JavaScript alone.
import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects, type FileMetaData } from 'hyparquet'

const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) }

const bufferOf = (bytes: Buffer) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer

/** Returns the rows, in their order. */
export function readParquet(bytes: Buffer): Promise<Record<string, any>[]> {
  return parquetReadObjects({ file: bufferOf(bytes), compressors })
}

export const metadataOf = (bytes: Buffer): FileMetaData => parquetMetadata(bufferOf(bytes))
