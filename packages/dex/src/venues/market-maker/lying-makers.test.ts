import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { replayLogs } from '../../../test/replay-receipt.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import { builtInDeployments } from '../../deployments/dex-config.ts'
import { NETWORK_NAMES } from '../../deployments/networks.ts'
import { withMovedAmounts } from '../../trades/moved/moved-amounts.ts'
import { Ledger } from '../../trades/receipt/ledger.ts'
import { receiptFlows } from '../../trades/receipt/receipt-flows.ts'
import { protocolOf } from '../registry.ts'

/**
 *   USER -- A --> treasury -- B --> USER, then the maker's event, made by the ABI
 *
 * The transfers count, not the amounts of an event that contradicts them.
 */
const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [A, B, USER, TREASURY] = ['0a', '0b', 'cc', '77'].map(address) as [Address, Address, Address, Address]
const TRANSFER = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)'])
const [PAID, GOT] = [5_000_000n, 4_990_000n]
const LIE = 10n ** 30n

function argumentsOf(abi: Interface, name: string, amounts: readonly bigint[]) {
  const event = abi.getEvent(name)
  if (event === null) throw new Error(`${name} is not an event`)
  const [tokens, rest] = [[A, B], [...amounts]]
  return event.inputs.map(({ type, name: input }) => {
    if (type === 'address') return /token|asset/i.test(input) ? tokens.shift() : USER
    if (/amount/i.test(input)) return rest.shift()
    return type.startsWith('uint') ? 1 : `0x${'07'.repeat(type === 'bytes32' ? 32 : 16)}`
  })
}

function placed(made: readonly Pick<Log, 'address' | 'topics' | 'data'>[]): Log[] {
  return made.map((log, logIndex) => ({ ...log, transactionIndex: 0, logIndex }))
}

const encoded = (abi: Interface, name: string, emitter: Address, values: readonly unknown[]) => ({
  address: emitter,
  ...(abi.encodeEventLog(name, values) as { topics: Hex[]; data: Hex }),
})

const makers = NETWORK_NAMES.flatMap((network) => {
  const { dexes, wrappedNative } = builtInDeployments[network]
  const emitter = dexes.find(({ kind }) => kind === 'market-maker')?.factory
  return emitter === undefined ? [] : [[network, { emitter, dexes, wrappedNative }] as const]
})

describe.each(makers)('of a maker on %s', (_, { emitter, dexes, wrappedNative }) => {
  describe.each(Object.keys(protocolOf('market-maker').events))('%s', (event) => {
    const abi = new Interface([event])
    const name = /^event (\w+)/.exec(event)?.[1] ?? ''
    const moved = (reported: readonly [bigint, bigint], paid: bigint | null) => {
      const logs = placed([
        ...(paid === null ? [] : [encoded(TRANSFER, 'Transfer', A, [USER, TREASURY, paid])]),
        encoded(TRANSFER, 'Transfer', B, [TREASURY, USER, GOT]),
        encoded(abi, name, emitter, argumentsOf(abi, name, reported)),
      ])
      const { hops } = replayLogs(1, logs, dexes, [], wrappedNative)
      expect(hops).toHaveLength(1)
      return withMovedAmounts(hops, logs, new Ledger(receiptFlows(logs, wrappedNative), wrappedNative)).map((hop) => {
        return [hop.tokenIn, hop.amountIn, hop.tokenOut, hop.amountOut, hop.isUnconfirmed ?? false]
      })
    }

    test('with the amounts that moved is unchanged', () => {
      expect(moved([PAID, GOT], PAID)).toEqual([[A, PAID, B, GOT, false]])
    })
    test('with more sold has what moved', () => {
      expect(moved([LIE, GOT], PAID)).toEqual([[A, PAID, B, GOT, true]])
    })
    test('with more bought has what moved', () => {
      expect(moved([PAID, LIE], PAID)).toEqual([[A, PAID, B, GOT, true]])
    })
    test('of a token that did not move is not a hop', () => {
      expect(moved([PAID, GOT], null)).toEqual([])
    })
  })
})
