import { AbiCoder } from 'ethers'
import { expect, test } from 'vitest'
import { runSteps } from '../../../test/run-proof.ts'
import { selectorOf } from '../../abi/contract-abi.ts'
import { callData, wordOf } from '../../abi/words.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { FormulaState } from '../../pool-state.ts'
import type { EthCall } from '../protocol.ts'
import { type CryptoInvariantName, type CryptoPoolState, cryptoPools, cryptoValues } from './crypto/crypto-pools.ts'
import { cryptoState } from './crypto-state.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, MATHS, COIN0, COIN1, COIN2] = [address('aa'), address('bb'), address('01'), address('02'), address('03')]
const NOW = 1_700_000_000
const WAD = 10n ** 18n

/** The crvUSD/cbBTC pool of Yield Basis at block 23,516,311, with a fee that varies. */
const TWO: CryptoPoolState = {
  invariant: 'twocrypto-stable',
  rule: 'weighted',
  A: 90_000n,
  gamma: 10n ** 15n,
  D: 20_716_304_579_622_468_215_639_043n,
  isRamping: false,
  midFee: 26_000_000n,
  outFee: 100_000_000n,
  feeGamma: 3n * 10n ** 15n,
  priceScales: [122_572_905_692_708_966_850_883n],
  precisions: [1n, 10n ** 10n],
  balances: [10_634_289_033_358_214_903_742_053n, 8_225_920_812n],
}
/** Both coins have 18 decimals, so every digit of an amount shows. */
const EIGHTEEN: CryptoPoolState = {
  ...TWO,
  invariant: 'crypto2',
  rule: 'reducing',
  precisions: [1n, 1n],
  balances: [TWO.balances[0] ?? 1n, 82_259_208_120_000_000_000n],
}
/** tricrypto2 in June 2023. */
const THREE: CryptoPoolState = {
  ...TWO,
  invariant: 'tricrypto',
  rule: 'reducing',
  A: 1_707_629n,
  gamma: 11_809_167_828_997n,
  D: 162_458_225_493_710_120_387_117_207n,
  priceScales: [25_182_439_404_844_022_315_525n, 1_651_754_874_918_630_176_109n],
  precisions: [10n ** 12n, 10n ** 10n, 1n],
  balances: [54_743_954_382_801n, 212_871_488_312n, 32_759_437_840_549_558_629_494n],
}

const text = (value: string) => AbiCoder.defaultAbiCoder().encode(['string'], [value]) as Hex
const word = (value: bigint | Address): Hex => `0x${wordOf(value)}`

/** Replies of the functions that only some pools have. */
type Functions = Readonly<Record<string, Hex>>

const contractOf = (state: CryptoPoolState, own: Functions, mathsVersion: string | null): Map<string, Hex> => {
  const replies = new Map<string, Hex>()
  const set = (to: Address, signature: string, reply: Hex, ...args: bigint[]) =>
    replies.set(to + callData(selectorOf(`function ${signature}`), ...args), reply)
  const terms = { A: state.A, gamma: state.gamma, D: state.D, mid_fee: state.midFee, out_fee: state.outFee }
  const more = { fee_gamma: state.feeGamma, future_A_gamma_time: 0n }
  for (const [name, value] of Object.entries({ ...terms, ...more })) set(POOL, `${name}()`, word(value))
  const [first = 0n, second] = state.priceScales
  if (second === undefined) set(POOL, 'price_scale()', word(first))
  else
    for (const [index, price] of state.priceScales.entries())
      set(POOL, 'price_scale(uint256)', word(price), BigInt(index))
  for (const [index, coin] of [COIN0, COIN1, COIN2].slice(0, state.balances.length).entries()) {
    set(POOL, 'balances(uint256)', word(state.balances[index] ?? 0n), BigInt(index))
    set(coin, 'decimals()', word(18n - BigInt(String(state.precisions[index]).length - 1)))
  }
  for (const [name, reply] of Object.entries(own)) set(POOL, `${name}()`, reply)
  if (mathsVersion !== null) set(MATHS, 'version()', text(mathsVersion))
  return replies
}

const GET_DY = selectorOf('function get_dy(uint256, uint256, uint256)')

/** Reads the state of a contract that quotes by the formula of `quotedAs`. */
function read(
  state: CryptoPoolState,
  own: Functions = {},
  mathsVersion: string | null = null,
  quotedAs = state,
): FormulaState | null {
  const replies = contractOf(state, own, mathsVersion)
  const maths = cryptoPools.of(cryptoValues(quotedAs))
  const answer = ({ to, data }: EthCall): Hex | null => {
    if (!data.startsWith(GET_DY)) return replies.get(to + data) ?? null
    const [from = 0n, coin = 0n, amount = 0n] = (data.slice(10).match(/.{64}/g) ?? []).map((part) =>
      BigInt(`0x${part}`),
    )
    const paid = maths?.amountOut(Number(from), Number(coin), amount) ?? null
    return paid === null ? null : word(paid)
  }
  const coins = [COIN0, COIN1, COIN2].slice(0, state.balances.length)
  const pool = { address: POOL, coins } as Partial<Pool> as Pool
  const found = runSteps(cryptoState(pool, NOW), answer)
  return found?.kind === 'formula' ? found : null
}

const MATH = { MATH: word(MATHS) }
const NG_21 = { ...MATH, version: text('v2.1.0') }
const FX = { ...MATH, version: text('v2.1.0d'), donation_shares: word(5n), last_timestamp: word(BigInt(NOW) - 9n) }
const LATEST = { ...FX, version: text('v3.0.0'), POLICY: word(0n) }

test.each<[CryptoInvariantName, string, CryptoPoolState, Functions, string | null]>([
  ['tricrypto', 'a first pool of three coins', THREE, {}, null],
  [
    'crypto2',
    'a pool of the first factory',
    { ...TWO, invariant: 'crypto2', rule: 'reducing' },
    { factory: word(MATHS) },
    null,
  ],
  ['crypto2', 'a first pool of two coins', EIGHTEEN, {}, null],
  [
    'crypto2-either',
    'one whose coins hide how it rounds',
    {
      ...TWO,
      invariant: 'crypto2-either',
      rule: 'reducing',
      precisions: [10n ** 12n, 10n ** 12n],
      balances: [10_634_289_033_358n, 82_259_208n],
    },
    {},
    null,
  ],
  ['crypto2-2022', 'one that rounds otherwise', { ...EIGHTEEN, invariant: 'crypto2-2022' }, {}, null],
  [
    'tricrypto-ng',
    'tricrypto NG',
    { ...THREE, invariant: 'tricrypto-ng' },
    { ...MATH, version: text('v2.0.0') },
    'v2.0.0',
  ],
  [
    'twocrypto-2.0',
    'twocrypto 2.0.0',
    { ...TWO, invariant: 'twocrypto-2.0', rule: 'reducing' },
    { ...NG_21, version: text('v2.0.0') },
    'v2.0.0',
  ],
  ['twocrypto-2.1', 'twocrypto 2.1.0', { ...TWO, invariant: 'twocrypto-2.1', rule: 'reducing' }, NG_21, 'v2.1.0'],
  ['twocrypto-stable', 'twocrypto 2.1.0d', TWO, FX, 'v0.1.0'],
  [
    'twocrypto-stable-0.1.1',
    'twocrypto 3.0.0',
    { ...TWO, invariant: 'twocrypto-stable-0.1.1', rule: 'limited' },
    LATEST,
    'v0.1.1',
  ],
])('reads %s: %s', (_, __, state, own, mathsVersion) => {
  expect(read(state, own, mathsVersion)).toEqual({
    kind: 'formula',
    formula: 'curve-crypto',
    values: cryptoValues(state),
    freshUntil: null,
  })
})

test('while A and gamma change, D is computed and the state moves with time', () => {
  const until = word(BigInt(NOW) + 100n)
  const ng: CryptoPoolState = { ...THREE, invariant: 'tricrypto-ng', isRamping: true }
  expect(read(ng, { ...MATH, version: text('v2.0.0'), future_A_gamma_time: until }, 'v2.0.0')).toMatchObject({
    values: cryptoValues(ng),
    freshUntil: NOW + 60,
  })
})

test.each<[string, CryptoPoolState, Functions, boolean]>([
  ['the first generation computes D until the swap after the change', THREE, { future_A_gamma_time: word(1n) }, true],
  [
    'tricrypto NG until the end',
    { ...THREE, invariant: 'tricrypto-ng' },
    { ...MATH, version: text('v2.0.0'), future_A_gamma_time: word(BigInt(NOW)) },
    false,
  ],
  ['2.1.0d until the first swap after it', TWO, { ...FX, future_A_gamma_time: word(BigInt(NOW)) }, true],
])('%s', (_, state, own, isRamping) => {
  const version = state.invariant === 'tricrypto' ? null : state.invariant === 'tricrypto-ng' ? 'v2.0.0' : 'v0.1.0'
  const expected = { ...state, isRamping }
  expect(read(state, own, version, expected)).toMatchObject({ values: cryptoValues(expected), freshUntil: null })
})

test.each<[string, CryptoPoolState, Functions, string | null]>([
  ['a stopped pool', THREE, { is_killed: word(1n) }, null],
  ['a pool that counts interest before a swap', THREE, { reward_receiver: word(0n) }, null],
  ['maths of an unknown version', TWO, FX, 'v0.2.0'],
  ['a pool of an unknown version', TWO, { ...FX, version: text('v4.0.0') }, 'v0.1.0'],
  ['maths that name no version', TWO, FX, null],
  [
    'a pool whose fee a policy sets',
    { ...TWO, invariant: 'twocrypto-stable-0.1.1', rule: 'limited' },
    { ...LATEST, POLICY: word(MATHS) },
    'v0.1.1',
  ],
  [
    'a version text without an end',
    TWO,
    { ...FX, version: `0x${wordOf(32n)}${wordOf(2n ** 200n)}${wordOf(0n)}` },
    'v0.1.0',
  ],
])('does not read %s', (_, state, own, mathsVersion) => {
  expect(read(state, own, mathsVersion)).toBeNull()
})

test('a contract that quotes something else is not quoted', () => {
  expect(read(TWO, FX, 'v0.1.0', { ...TWO, midFee: TWO.midFee + 1n })).toBeNull()
  expect(read({ ...TWO, balances: [WAD, 0n] }, FX, 'v0.1.0')).toBeNull()
})
