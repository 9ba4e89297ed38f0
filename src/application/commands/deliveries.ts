// The commands on deliveries for the operator: send again, replay, send a test. Carried out by PostgreSQL, from where
// the processes that deliver take them.

export interface DeliveryCommands {
  /** Sends a delivery again under the same id, even one that was delivered. Returns false for an unknown id. */
  resend(id: string): Promise<boolean>
  /**
   * Sends again all deliveries dead since then whose address is still one of the key and whose key is valid. Returns how many.
   */
  replay(since: Date): Promise<number>
  /**
   * Sends a test event to all addresses of a key, or to the given one, which must be one of them. Returns the ids
   * of the deliveries; none if the key has no such address.
   */
  sendTest(keyId: string, url: string | null): Promise<string[]>
}
