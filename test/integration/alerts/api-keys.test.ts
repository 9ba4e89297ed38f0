// API keys on PostgreSQL: which are accepted and for how long, and what the tables contain.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createHash, randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { makeApiKeys } from '../../../src/application/commands/api-keys.ts'
import { makeKeyVerifier } from '../../../src/application/commands/authenticate-key.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { newApiKey, readApiKey, writeApiKey } from '../../../src/domain/alerts/api-key.ts'
import { makeSecretsKey } from '../../../src/infrastructure/embedded/secrets-key.ts'
import { PostgresKeyStore } from '../../../src/infrastructure/postgres/alerts/api-keys.ts'
import { openPool, rows } from '../../../src/infrastructure/postgres/pool.ts'
import { SecretBox } from '../../../src/infrastructure/postgres/alerts/secret-box.ts'
import { nodeCrypto } from '../../../src/infrastructure/crypto.ts'
import { keyService, type KeyService } from '../../support/service/keys.ts'

const DAY_MS = 86_400_000

let now = Date.parse('2030-03-04T12:00:00Z')
let service: KeyService

const refusal = (token: string, verifier = service.verifier): Promise<string> =>
  verifier.verify(token).then(
    () => 'none',
    (error) => error.code,
  )

/** Proofs asked of the database, counted. */
function counting(monotonic = () => now) {
  const store = service.container.get(TYPES.keyStore)
  const asked: string[] = []
  const verifier = makeKeyVerifier(
    { proof: (id) => (asked.push(id), store.proof(id)), used: (uses) => store.used(uses) },
    nodeCrypto,
    { clock: () => now, monotonic },
    async () => {},
  )
  return { asked, verifier }
}

interface Kept {
  secret: Buffer
  until: Date | null
}

/** The present one, then those before it. */
function secretsInTable(id: string): Promise<Kept[]> {
  return rows<Kept>(
    service.pool,
    `SELECT webhook_secret AS secret, NULL AS until FROM api_keys WHERE id = $1
    UNION ALL (SELECT secret, until FROM former_webhook_secrets WHERE key_id = $1 ORDER BY until DESC)`,
    [id],
  )
}

describe('API keys', function () {
  this.timeout(60_000)
  before(async () => {
    service = await keyService(() => now)
  })
  after(() => service.close())
  beforeEach(() => {
    now += 1_000
  })

  describe('an issued key', () => {
    it('is known by its id, and has a secret for webhooks', async () => {
      const { id, key, webhookSecret, expiresAt } = await service.keys.issue('Example Fund', null)
      assert.deepEqual([await service.verifier.verify(key), expiresAt], [id, null])
      assert.strictEqual(readApiKey(key)!.id, id)
      assert.match(webhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const [first] = await service.operator.apiKeys()
      assert.include(first, { id, name: 'Example Fund', expiresAt: null, revokedAt: null, lastUsedAt: null })
      assert.notInclude(JSON.stringify(first), webhookSecret.slice(6, 20))
    })

    it('is valid until the millisecond it expires', async () => {
      const { id, key, expiresAt } = await service.keys.issue('for two days', 2)
      assert.strictEqual(expiresAt!.getTime(), now + 2 * DAY_MS)
      now += 2 * DAY_MS - 1
      assert.strictEqual(await service.verifier.verify(key), id)
      now += 1
      assert.strictEqual(await refusal(key), 'invalid_api_key')
    })

    it('is refused with the same message for any wrong id or secret', async () => {
      const [one, other] = [await service.issue(), await service.issue()]
      const mixed = writeApiKey({ id: one.id, secret: readApiKey(other.key)!.secret })
      const unknown = writeApiKey(newApiKey(randomBytes))
      const words = async (token: string) =>
        service.verifier.verify(token).catch((error) => `${error.code} ${error.message}`)
      for (const token of [mixed, unknown, 'itd_x', '', `${one.key}x`]) {
        assert.strictEqual(await words(token), 'invalid_api_key The API key is not valid', token)
      }
    })
  })

  describe('a revoked key', () => {
    it('stops working within a second, even if it was just used', async () => {
      const { id, key } = await service.issue()
      assert.strictEqual(await service.verifier.verify(key), id)
      assert.strictEqual(await service.keys.revoke(id), true)
      now += 500
      assert.strictEqual(await refusal(key), 'invalid_api_key')
    })

    it('stops working within a second of real time', async () => {
      const verifier = makeKeyVerifier(
        service.container.get(TYPES.keyStore),
        nodeCrypto,
        { clock: Date.now, monotonic: () => performance.now() },
        async () => {},
      )
      const { id, key } = await service.issue()
      assert.strictEqual(await verifier.verify(key), id)
      await service.keys.revoke(id)
      await sleep(1_000)
      assert.strictEqual(await refusal(key, verifier), 'invalid_api_key')
    })

    it('can be revoked once, gets no new secret, and stays in the list', async () => {
      const { id } = await service.issue()
      assert.deepEqual([await service.keys.revoke(id), await service.keys.revoke(id)], [true, false])
      assert.deepEqual([await service.keys.rotateSecret(id), await service.keys.revoke('0000000000')], [null, false])
      assert.typeOf((await service.operator.apiKeys()).find((key) => key.id === id)!.revokedAt, 'date')
    })
  })

  describe('the memory of keys', () => {
    it('is filled once per half second, also for unknown ids, and never for malformed keys', async () => {
      const { asked, verifier } = counting()
      const { id, key } = await service.issue()
      await Promise.all(Array.from({ length: 50 }, () => verifier.verify(key)))
      now += 499
      await verifier.verify(key)
      assert.deepEqual(asked, [id])
      now += 1
      await verifier.verify(key)
      assert.deepEqual(asked, [id, id])
      const unknown = writeApiKey({ id: 'Unknown000', secret: readApiKey(key)!.secret })
      for (let times = 0; times < 20; times++) assert.strictEqual(await refusal(unknown, verifier), 'invalid_api_key')
      for (const typo of [`${key.slice(0, -1)}~`, key.replace('itd', 'itx')]) await refusal(typo, verifier)
      assert.deepEqual(asked.slice(2), ['Unknown000'])
    })

    it('holds 10,000 ids, and drops the oldest first', async () => {
      const asked: string[] = []
      const store = { proof: async (id: string) => (asked.push(id), null), used: async () => {} }
      const verifier = makeKeyVerifier(store, nodeCrypto, { clock: () => now, monotonic: () => now }, async () => {})
      const keys = Array.from({ length: 10_001 }, () => writeApiKey(newApiKey(randomBytes)))
      for (const key of keys) await refusal(key, verifier)
      assert.lengthOf(asked, 10_001)
      await refusal(keys[1]!, verifier)
      assert.lengthOf(asked, 10_001)
      await refusal(keys[0]!, verifier)
      assert.lengthOf(asked, 10_002)
    })

    it('expires after the same time if the clock is set back or forward', async () => {
      for (const set of [-86_400_000, 86_400_000]) {
        let passed = 0
        const { asked, verifier } = counting(() => passed)
        const { id, key } = await service.issue()
        await verifier.verify(key)
        await service.keys.revoke(id)
        now += set
        passed += 499
        await verifier.verify(key)
        assert.deepEqual(asked, [id])
        passed += 1
        assert.strictEqual(await refusal(key, verifier), 'invalid_api_key')
        assert.deepEqual(asked, [id, id])
      }
    })
  })

  it('are answered with `unavailable` without PostgreSQL', async () => {
    const pool = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', name: 'test' })
    const verifier = makeKeyVerifier(
      new PostgresKeyStore(pool, new SecretBox(randomBytes(32))),
      nodeCrypto,
      { clock: () => now, monotonic: () => now },
      async () => {},
    )
    assert.strictEqual(await refusal(writeApiKey(newApiKey(randomBytes)), verifier), 'unavailable')
    assert.strictEqual(await refusal('itd_typo', verifier), 'invalid_api_key')
    await pool.end()
  })

  describe('when a key was last used', () => {
    const lastUse = async (id: string) =>
      (await service.operator.apiKeys()).find((key) => key.id === id)!.lastUsedAt?.getTime()

    /** Rounds pass when told; `failing` writes are refused. */
    function writing(failing = 0) {
      const store = service.container.get(TYPES.keyStore)
      const [stop, writes, faults] = [new AbortController(), [] as string[][], [] as string[]]
      let [pass, waitsAgain] = [() => {}, () => {}]
      const wait = (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          pass = resolve
          waitsAgain()
          signal?.addEventListener('abort', () => resolve())
        })
      const used: typeof store.used = async (uses) => {
        writes.push(uses.map((use) => use.id))
        if (writes.length <= failing) throw new Error('away')
        await store.used(uses)
      }
      const verifier = makeKeyVerifier(
        { proof: (id) => store.proof(id), used },
        nodeCrypto,
        { clock: () => now, monotonic: () => now },
        wait,
      )
      const running = verifier.writeUses(stop.signal, (error) => void faults.push(error.message))
      const round = () =>
        new Promise<void>((resolve) => {
          waitsAgain = resolve
          pass()
        })
      return { verifier, writes, faults, round, stop: () => (stop.abort(), running) }
    }

    it('is written in one batch a round, and at the end', async () => {
      const [one, other] = [await service.issue(), await service.issue()]
      const { verifier, writes, round, stop } = writing()
      for (let times = 0; times < 10; times++) await verifier.verify(one.key)
      await verifier.verify(other.key)
      assert.deepEqual(writes, [])
      await round()
      assert.deepEqual(writes, [[one.id, other.id]])
      assert.deepEqual([await lastUse(one.id), await lastUse(other.id)], [now, now])
      await round()
      assert.lengthOf(writes, 1)
      now += 700
      await verifier.verify(other.key)
      await stop()
      assert.deepEqual([await lastUse(one.id), await lastUse(other.id)], [now - 700, now])
    })

    it('is kept for the next round if writing fails, and never goes back', async () => {
      const { id, key } = await service.issue()
      const { verifier, faults, round, stop } = writing(1)
      await verifier.verify(key)
      const first = now
      await round()
      assert.deepEqual([faults, await lastUse(id)], [['away'], undefined])
      await round()
      assert.strictEqual(await lastUse(id), first)
      now -= 10_000
      await verifier.verify(key)
      await stop()
      assert.strictEqual(await lastUse(id), first)
    })

    it('is not recorded for a key that was refused', async () => {
      const { id, key } = await service.issue()
      const { verifier, writes, stop } = writing()
      await refusal(
        writeApiKey({ id, secret: readApiKey(key)!.secret.replace(/./, (at) => (at === 'a' ? 'b' : 'a')) }),
        verifier,
      )
      await stop()
      assert.deepEqual(writes, [])
    })
  })

  describe('secrets', () => {
    it('are nowhere in the tables in plain text', async () => {
      const issued = await service.keys.issue('a name that shows', null)
      const rotated = await service.keys.rotateSecret(issued.id)
      const tables = await rows<{ name: string }>(
        service.pool,
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
      )
      assert.include(
        tables.map(({ name }) => name),
        'api_keys',
      )
      const dumps = await Promise.all(
        tables.map(({ name }) => rows<Record<string, unknown>>(service.pool, `SELECT * FROM ${name}`)),
      )
      const values = dumps
        .flat()
        .flatMap((row) => Object.values(row))
        .map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value) ?? '')))
      const holds = (part: Buffer) => values.some((value) => value.includes(part))
      assert.strictEqual(holds(Buffer.from('a name that shows')), true, 'the search finds what is there')
      assert.strictEqual(holds(createHash('sha256').update(readApiKey(issued.key)!.secret).digest()), true, 'the hash')
      for (const secret of [issued.webhookSecret, rotated!.webhookSecret]) {
        assert.strictEqual(holds(Buffer.from(secret.slice(6, 30))), false, 'as text')
        assert.strictEqual(holds(Buffer.from(secret.slice(6), 'base64').subarray(0, 16)), false, 'as bytes')
      }
      assert.strictEqual(holds(Buffer.from(readApiKey(issued.key)!.secret.slice(0, 16))), false)
    })

    it('stay valid for 24 hours after a rotation', async () => {
      const secretBox = service.container.get(TYPES.secretBox)
      const { id, webhookSecret } = await service.issue()
      const rotated = await service.keys.rotateSecret(id)
      assert.match(rotated!.webhookSecret, /^whsec_/)
      assert.notStrictEqual(rotated!.webhookSecret, webhookSecret)
      const firstUntil = now + DAY_MS
      assert.strictEqual(rotated!.previousUntil.getTime(), firstUntil)
      const kept = async () =>
        (await secretsInTable(id)).map(({ secret, until }) => [secretBox.decrypt(id, secret), until && until.getTime()])
      assert.deepEqual(await kept(), [
        [rotated!.webhookSecret, null],
        [webhookSecret, firstUntil],
      ])
      // Once more, as where the first answer was lost: receivers still know the one that was there at first.
      now += 300_000
      const again = await service.keys.rotateSecret(id)
      assert.deepEqual(await kept(), [
        [again!.webhookSecret, null],
        [rotated!.webhookSecret, firstUntil + 300_000],
        [webhookSecret, firstUntil],
      ])
    })

    it("are encrypted differently each time, and decrypt neither damaged nor in another key's row", () => {
      const secretBox = new SecretBox(randomBytes(32))
      const sealed = secretBox.encrypt('one0000000', 'whsec_text')
      assert.strictEqual(secretBox.decrypt('one0000000', sealed), 'whsec_text')
      assert.strictEqual(secretBox.encrypt('one0000000', 'whsec_text').equals(sealed), false)
      assert.throws(() => secretBox.decrypt('two0000000', sealed), /rotate-secret ID=two0000000/)
      for (let at = 0; at < sealed.length; at++) {
        const damaged = Buffer.from(sealed)
        damaged[at]! ^= 1
        assert.throws(() => secretBox.decrypt('one0000000', damaged), /SECRETS_KEY/, `byte ${at}`)
      }
      for (const length of [0, 1, 13, 28, sealed.length - 1]) {
        assert.throws(
          () => secretBox.decrypt('one0000000', sealed.subarray(0, length)),
          /SECRETS_KEY/,
          `${length} bytes`,
        )
      }
    })

    it('of another SECRETS_KEY fail with what to do, and work again after a rotation', async () => {
      const { id } = await service.issue()
      // One that signs for a day more is lost with it.
      await service.keys.rotateSecret(id)
      const other = new SecretBox(randomBytes(32))
      const [present] = await secretsInTable(id)
      const words = new RegExp(`key ${id} .*SECRETS_KEY.*DATA_DIR/secrets.key.*make rotate-secret ID=${id}`)
      assert.throws(() => other.decrypt(id, present!.secret), words)
      const rotated = await makeApiKeys(new PostgresKeyStore(service.pool, other), nodeCrypto, () => now).rotateSecret(
        id,
      )
      const after = await secretsInTable(id)
      assert.deepEqual(
        after.map(({ secret }) => other.decrypt(id, secret)),
        [rotated!.webhookSecret],
        'what opens no more does not sign either',
      )
    })
  })

  describe('the file of the key for secrets', () => {
    let folder: string
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'secrets-'))
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    it('is created once, readable by its owner only', () => {
      const key = makeSecretsKey(folder)
      assert.deepEqual([key.length, makeSecretsKey(folder).equals(key)], [32, true])
      assert.strictEqual(statSync(join(folder, 'secrets.key')).mode & 0o777, 0o600)
    })

    it('is refused and left alone if it contains anything else', () => {
      for (const text of ['', 'short', randomBytes(31).toString('base64')]) {
        writeFileSync(join(folder, 'secrets.key'), text)
        assert.throws(() => makeSecretsKey(folder), /does not hold a key of 32 bytes/)
        assert.strictEqual(statSync(join(folder, 'secrets.key')).size, text.length)
      }
    })
  })
})
