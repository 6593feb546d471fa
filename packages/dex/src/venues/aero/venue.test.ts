import { expect, test } from 'vitest'
import { readCases, replayCase } from '../../../test/replay-fixture.ts'
import { ZERO_ADDRESS } from '../../chain.ts'

test('a contract for which the registry names no factory is no pool', () => {
  for (const made of readCases('aero/fixtures/made.json')) {
    const known = made.known.map((call) =>
      call.abi.includes('targetToFactory') ? { ...call, result: [ZERO_ADDRESS] } : call,
    )
    expect(replayCase({ ...made, known }).hops).toEqual([])
  }
})
