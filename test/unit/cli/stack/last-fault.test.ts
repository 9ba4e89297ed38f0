// Finding the line of a log that says why a process ended.
import { assert } from 'chai'
import { lastFault } from '../../../../src/cli/stack/embedded/last-fault.ts'

const WARNING = '{"level":40,"err":{"type":"Error","message":"Disconnects client"},"msg":"redis"}'

describe('the last fault of a log', () => {
  it('is the error that ended the process, even if warnings follow', () => {
    assert.strictEqual(
      lastFault(`{"level":30,"msg":"starting"}\nerror: the store is lost\n${WARNING}\n`),
      'the store is lost',
    )
    const failed = '{"level":50,"err":{"message":"the store is lost"},"msg":"ingestion"}'
    assert.strictEqual(lastFault(`${failed}\n${WARNING}\n`), 'ingestion: the store is lost')
  })

  it('is otherwise the last line that mentions an error, or the last line', () => {
    assert.strictEqual(lastFault(`${WARNING}\n{"level":30,"msg":"stopped"}\n`), 'redis: Disconnects client')
    assert.strictEqual(lastFault('listen EADDRINUSE 8080\nat Server\n'), 'listen EADDRINUSE 8080')
    assert.strictEqual(lastFault('Killed\n'), 'Killed')
    assert.strictEqual(lastFault(''), '')
  })
})
