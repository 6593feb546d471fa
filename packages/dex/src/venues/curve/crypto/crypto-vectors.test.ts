import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type CryptoInvariantName, type CryptoPoolState, cryptoPools, cryptoValues } from './crypto-pools.ts'
import type { FeeRule } from './swap-fee.ts'

/** Coin sold, coin bought, amount sold, and amount bought: null if the contract reverts. */
type Quote = readonly [number, number, string, string | null]

interface Terms {
  invariant: CryptoInvariantName
  A: string
  gamma: string
  D: string
  midFee: string
  outFee: string
  feeGamma: string
  priceScales: readonly string[]
  balances: readonly string[]
  quotes: readonly Quote[]
}

/** Quotes of a contract that was compiled from its public source, in a random state on a local chain. */
interface Reply extends Terms {
  rule: FeeRule
  isRamping: boolean
  precisions: readonly string[]
}

const packed = gunzipSync(readFileSync(new URL('./curve-crypto-replies.json.gz', import.meta.url))).toString()
const { pools: replies } = JSON.parse(packed) as { pools: Reply[] }

function expectQuotes(terms: Terms, more: Pick<CryptoPoolState, 'rule' | 'isRamping' | 'precisions'>): void {
  const { invariant, quotes } = terms
  const state: CryptoPoolState = {
    ...more,
    invariant,
    A: BigInt(terms.A),
    gamma: BigInt(terms.gamma),
    D: BigInt(terms.D),
    midFee: BigInt(terms.midFee),
    outFee: BigInt(terms.outFee),
    feeGamma: BigInt(terms.feeGamma),
    priceScales: terms.priceScales.map(BigInt),
    balances: terms.balances.map(BigInt),
  }
  const maths = cryptoPools.of(cryptoValues(state))
  const paid = quotes.map(([from, to, sold]) => maths?.amountOut(from, to, BigInt(sold)) ?? null)
  expect(paid).toEqual(quotes.map(([, , , bought]) => (bought === null ? null : BigInt(bought))))
}

test.each([...new Set(replies.map(({ invariant }) => invariant))])('%s pays what its contract replies', (invariant) => {
  const ofIt = replies.filter((reply) => reply.invariant === invariant)
  expect(ofIt.flatMap(({ quotes }) => quotes).length).toBeGreaterThan(200)
  for (const { rule, isRamping, precisions, ...terms } of ofIt) {
    expectQuotes(terms, { rule, isRamping, precisions: precisions.map(BigInt) })
  }
})
