// A connection to PostgreSQL that, without TLS, sends the password only by SCRAM, which does not reveal it. A listener
// in the server's place could otherwise request the password itself, or a hash that is as good.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** The server's requests for a password that the driver would answer, and how it would send the password. */
const REVEALING = { authenticationCleartextPassword: 'in clear text', authenticationMD5Password: 'as MD5' }

export class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    if (this.ssl) return
    const { connection, host, port } = this
    for (const [request, how] of Object.entries(REVEALING)) {
      // Runs before the driver's own listener, which then writes to a destroyed stream, so that nothing is sent.
      connection.prependListener(request, () => connection.stream.destroy(new PasswordNotSent(`${host}:${port}`, how)))
    }
  }
}

/** Runs `work` over a dedicated connection and closes that. `lost` aborts if the connection ends before `work` does. */
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
  // Tells this error from a lost connection, after which callers try again.
  readonly code = 'PASSWORD_NOT_SENT'

  constructor(server: string, how: string) {
    super(
      `PostgreSQL at ${server} asks for the password ${how}, so it was not sent: let that server use scram-sha-256, ` +
        'or add sslmode=verify-full to DATABASE_URL',
    )
  }
}
