// Two API keys over real HTTP on a real PostgreSQL: before each test everything of the last one is gone, and both keys
// are new.
import { call, type CallOptions, type Reply } from './contract-client.ts'
import type { ExampleService } from './example-service.ts'
import { keyService, type KeyService } from '../service/keys.ts'

export interface TwoKeys {
  service: KeyService
  http: ExampleService
  own: { id: string; key: string }
  other: { id: string; key: string }
  /** Calls an operation with a key. */
  as(key: string, method: string, path: string, body?: CallOptions['body']): Promise<Reply>
}

/** Registers the hooks of a suite; the result is filled when its tests run. */
export function twoKeys(): TwoKeys {
  const keys: Partial<TwoKeys> = {
    as: (key, method, path, body) =>
      call(keys.http!.url, method, path, {
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined && { body }),
      }),
  }
  before(async () => {
    keys.service = await keyService()
    keys.http = await keys.service.listen()
  })
  beforeEach(async () => {
    await keys.service!.pool.query('TRUNCATE api_keys, events CASCADE')
    keys.own = await keys.service!.issue('own')
    keys.other = await keys.service!.issue('other')
  })
  after(async () => {
    await keys.http?.close()
    await keys.service?.close()
  })
  return keys as TwoKeys
}

/** Returns status, code and the paths of a refusal, with spaces between them. */
export const refusalOf = ({ status, body: { error } }: Reply): string =>
  [status, error.code, ...(error.details ?? []).map(({ path }: { path: string }) => path)].join(' ')
