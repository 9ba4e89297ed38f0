// Compresses answers by gzip. The compressed variant has a strong ETag of its own.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Bytes of an answer in one encoding. */
export interface Variant {
  bytes: Buffer
  etag: string
}

/** Shorter answers fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1_024

/** The compressed variants of contents, also while they are being made. */
const variants = new WeakMap<Variant, Promise<Variant | null>>()

/**
 * Returns the compressed variant, which the first call for a content makes; null if the content is too short to gain
 * anything.
 */
export function compressed(content: Variant, level?: number): Promise<Variant | null> {
  const variant = variants.get(content) ?? compress(content, level)
  variants.set(content, variant)
  return variant
}

async function compress({ bytes, etag }: Variant, level?: number): Promise<Variant | null> {
  if (bytes.length < MIN_COMPRESSED_BYTES) return null
  return { bytes: await promisify(gzip)(bytes, level === undefined ? {} : { level }), etag: gzipEtag(etag) }
}

/** Returns the ETag of the compressed variant: `"x"` becomes `"x-g"`. */
export const gzipEtag = (etag: string): string => `${etag.slice(0, -1)}-g"`
