// The client that the package exports: requests, and the stream of changes as an iterator.
import { RequestClient } from './client.ts'
import type { Query } from './operations.ts'
import { followChanges, type Change, type FollowOptions } from './stream.ts'

/**
 * Sends requests to an Insider Trading Data Service, and follows its changes. A page that uses an EventSource for
 * changes can use RequestClient instead, which is smaller.
 */
export class InsiderClient extends RequestClient {
  override readonly changes = {
    list: this.listChanges,
    /** Returns changes as they happen, each once, resuming wherever the connection is lost. */
    follow: (query: Query<'streamChanges'> = {}, options?: FollowOptions): AsyncGenerator<Change, void, undefined> =>
      followChanges(this.transport, query, options),
  }
}
