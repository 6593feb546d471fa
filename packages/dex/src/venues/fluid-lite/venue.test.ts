import { toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { readCases, replayCase } from '../../../test/replay-fixture.ts'

test('a pool whose key is not listed, or whose list is too long, is refused', () => {
  const [one] = readCases('fluid-lite/fixtures/made.json')
  if (one === undefined) throw new Error('no fixture')
  const [length, ...keys] = one.known
  const hopsWith = (count: bigint) => {
    const known = [...(length === undefined ? [] : [{ ...length, result: [toBeHex(count, 32)] }]), ...keys]
    return replayCase({ ...one, known }).hops.length
  }
  expect(hopsWith(2n)).toBe(3)
  expect(hopsWith(1n)).toBe(1)
  expect(hopsWith(501n)).toBe(0)
  expect(hopsWith(2n ** 40n)).toBe(0)
})
