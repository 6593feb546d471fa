import type { Hex } from '@dexfeed/dex'
import { AbiCoder, Interface } from 'ethers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeAggregate3, encodeAggregate3 } from './multicall.ts'

const abi = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
])
const bytes = fc.uint8Array({ maxLength: 100 }).map((data) => `0x${Buffer.from(data).toString('hex')}` as Hex)
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((data) => `0x${Buffer.from(data).toString('hex')}` as Hex)

it('encodes as the ABI says', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ to: address, data: bytes }), { maxLength: 8 }), (calls) => {
      const expected = abi.encodeFunctionData('aggregate3', [calls.map(({ to, data }) => [to, true, data])])
      expect(encodeAggregate3(calls)).toBe(expected)
    }),
  )
})

it('decodes as the ABI says', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ success: fc.boolean(), data: bytes }), { maxLength: 8 }), (outcomes) => {
      const response = abi.encodeFunctionResult('aggregate3', [
        outcomes.map(({ success, data }) => [success, data]),
      ]) as Hex
      expect(decodeAggregate3(response, outcomes.length)).toEqual(outcomes)
      expect(decodeAggregate3(response, outcomes.length + 1)).toBeNull()
    }),
  )
})

it('detects a response that is not a list of results', () => {
  for (const response of ['0x', '0x1234', `0x${'ff'.repeat(320)}`, `0x${'00'.repeat(320)}`] as const) {
    expect(decodeAggregate3(response, 2)).toBeNull()
  }
  const whole = AbiCoder.defaultAbiCoder().encode(['tuple(bool,bytes)[]'], [[[true, '0x1234']]])
  expect(decodeAggregate3(whole.slice(0, -64) as Hex, 1)).toBeNull()
})
