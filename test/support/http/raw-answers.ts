// One request by node's client, with the bytes of the answer as they came: nothing unpacked, nothing followed.
import { request as httpRequest } from 'node:http'

export interface RawAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | undefined>
  body: Buffer
}

export function rawRequest(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({
          status: response.statusCode!,
          headers: response.headers as RawAnswer['headers'],
          body: Buffer.concat(chunks),
        })
      })
    })
    request.on('error', reject)
    request.end()
  })
}
