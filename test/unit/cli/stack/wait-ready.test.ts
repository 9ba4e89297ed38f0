// What make up prints about work that continues after the start.
import { assert } from 'chai'
import { rebuildLines } from '../../../../src/cli/stack/wait-ready.ts'

describe('the line of make up about a rebuild', () => {
  it('is printed once if one waits or runs, and not for other jobs', () => {
    const line = 'a rebuild writes all rows again in the background: see make status'
    assert.deepEqual(rebuildLines([{ kind: 'exports' }, { kind: 'rebuild' }, { kind: 'rebuild' }]), [line])
    assert.deepEqual(rebuildLines([{ kind: 'exports' }, { kind: 'backfill' }]), [])
    assert.deepEqual(rebuildLines([]), [])
  })
})
