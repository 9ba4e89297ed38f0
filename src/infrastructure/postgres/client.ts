// The connection to PostgreSQL. Without TLS it sends the password only by SCRAM, which does not reveal it: a listener
// that took the server's place could otherwise ask for the password itself, or for a hash that is as good.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** The requests for a password that the driver would answer, and how it would send it. */
const REVEALING = { authenticationCleartextPassword: 'in clear text', authenticationMD5Password: 'as MD5' }

export class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    if (this.ssl) return
    const { connection, host, port } = this
    for (const [request, how] of Object.entries(REVEALING)) {
      // Called before the driver's own listener. What that one writes to a destroyed stream is not sent.
      connection.prependListener(request, () => connection.stream.destroy(new PasswordNotSent(`${host}:${port}`, how)))
    }
  }
}

/**
 * Runs `work` over a connection of its own, which is closed after it. `lost` aborts when the connection ends before.
 */
export async function withClient(
  config: pg.ClientConfig,
  work: (client: Client, lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = new Client({ ...config, keepAlive: true })
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error('the connection to PostgreSQL ended')))
  try {
    await client.connect()
    await work(client, lost.signal)
  } finally {
    // `end` waits for an answer, which a connection that was cut never gives.
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
  }
}

class PasswordNotSent extends Error {
  // Tells it from a lost connection, after which callers try again.
  readonly code = 'PASSWORD_NOT_SENT'

  constructor(server: string, how: string) {
    super(
      `PostgreSQL at ${server} asks for the password ${how}, so it was not sent: let that server use scram-sha-256, ` +
        'or add sslmode=verify-full to DATABASE_URL',
    )
  }
}
