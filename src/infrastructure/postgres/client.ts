// The connection to PostgreSQL. Without TLS it sends the password only by SCRAM, which does not reveal it: a listener
// that took the server's place could otherwise ask for the password itself, or for a hash that is as good.
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
