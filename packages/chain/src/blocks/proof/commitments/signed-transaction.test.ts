import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { authorizationify, Transaction, type TransactionLike, toQuantity, Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { BlockProver } from './block-prover.ts'
import { signedTransaction } from './signed-transaction.ts'

type Json = Record<string, unknown>

const recorded = (name: string) =>
  (
    JSON.parse(
      gunzipSync(readFileSync(new URL(`../../../../test/fixtures/${name}.json.gz`, import.meta.url))).toString(),
    ) as {
      block: Json & { transactions: Json[] }
    }
  ).block

describe('a recorded block', () => {
  it.each(['eth-12988631', 'eth-13998626', 'eth-15070192'])(
    '%s has the transactions that its header commits to, with their signers',
    async (name) => {
      const block = recorded(name)
      const signed = block.transactions.map((json) => signedTransaction(json))
      expect(signed.map((each) => each?.hash)).toEqual(block.transactions.map(({ hash }) => hash))
      for (const [i, { from }] of block.transactions.slice(0, 5).entries()) expect(signed[i]?.sender()).toBe(from)
      const encodings = signed.flatMap((each) => each?.encoding ?? [])
      const prover = await BlockProver.load()
      expect(prover.proveTransactions(block, encodings)).toBe('proven')
      expect(prover.proveTransactions(block, encodings.slice(1))).toBe('false')
    },
  )

  it('of Polygon has a last transaction without a signature', () => {
    const signed = recorded('polygon-10000000').transactions.map(signedTransaction)
    expect(signed.map((each) => each !== null)).toEqual([true, true, true, true, true, false])
  })

  it('whose node left out access lists, or hashes of blobs, has transactions that cannot be encoded', () => {
    expect(
      recorded('eth-17000000')
        .transactions.map(signedTransaction)
        .filter((each) => each === null),
    ).toHaveLength(94)
    const blobs = recorded('eth-19560565').transactions.filter(({ type }) => type === '0x3')
    expect(blobs.map(signedTransaction)).toEqual(blobs.map(() => null))
  })
})

const WALLET = new Wallet(`0x${'7'.repeat(64)}`)
const TO = '0x00000000000000000000000000000000000000bb'
const WORD = `0x01${'ab'.repeat(31)}`
const COMMON = { to: TO, nonce: 7, gasLimit: 21_000, value: 5, data: '0x1234', chainId: 56 }
const LIST = { accessList: [{ address: TO, storageKeys: [WORD] }] }
const FEES = { maxFeePerGas: 9, maxPriorityFeePerGas: 2, ...LIST }

/** Returns a transaction as a node would. */
async function shown(type: number, fields: Json): Promise<Json> {
  const signed = Transaction.from(
    await WALLET.signTransaction({ type, ...COMMON, ...fields } as TransactionLike<string>),
  )
  const { r, s, v, networkV, yParity } = signed.signature ?? {}
  const quantity = (value: unknown) =>
    typeof value === 'bigint' || typeof value === 'number' ? toQuantity(value) : value
  const { gasLimit, data, ...common } = COMMON
  const raw: Json = { type, ...common, gas: gasLimit, input: data, ...fields, r, s, hash: signed.hash }
  raw.v = type === 0 ? (networkV ?? v) : yParity
  if (type > 0) raw.yParity = yParity
  if (type === 4) {
    raw.authorizationList = signed.authorizationList?.map(({ address, nonce, chainId, signature }) => ({
      address,
      nonce: toQuantity(nonce),
      chainId: toQuantity(chainId),
      yParity: toQuantity(signature.yParity),
      r: toQuantity(signature.r),
      s: toQuantity(signature.s),
    }))
  }
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, quantity(value)]))
}

const authorization = () =>
  authorizationify({ address: TO, nonce: 1, chainId: 56, signature: WALLET.signingKey.sign(WORD) })

it.each([
  [0, { gasPrice: 9 }],
  [1, { gasPrice: 9, ...LIST }],
  [2, FEES],
  [3, { ...FEES, maxFeePerBlobGas: 3, blobVersionedHashes: [WORD] }],
  [4, { ...FEES, authorizationList: [authorization()] }],
])('of type %i has its hash and sender, or none where a field is missing', async (type, fields) => {
  const raw = await shown(type, fields)
  const signed = signedTransaction(raw)
  expect(signed?.hash).toBe(raw.hash)
  expect(signed?.sender()).toBe(WALLET.address.toLowerCase())
  const changed = signedTransaction({ ...raw, value: '0x6' })
  expect(changed?.hash).not.toBe(raw.hash)
  for (const name of Object.keys(raw).filter((text) => !['hash', 'type', 'v', 'yParity', 'chainId'].includes(text))) {
    const { [name]: _, ...rest } = raw
    expect(signedTransaction(rest), name).toBeNull()
  }
})

it.each(['0x2', '0x1b', '0xff'])(
  'with an authorization of parity %s, which is invalid, is not encoded',
  async (yParity) => {
    const raw = await shown(4, { ...FEES, authorizationList: [authorization()] })
    const [one = {}] = raw.authorizationList as Json[]
    expect(signedTransaction({ ...raw, authorizationList: [{ ...one, yParity }] })).toBeNull()
  },
)

it('whose signature is not in the form of its type is not encoded', async () => {
  const old = await shown(0, { gasPrice: 9 })
  for (const v of ['0x0', '0x1']) expect(signedTransaction({ ...old, v })).toBeNull()
  const { type: _, ...untyped } = await shown(2, FEES)
  expect(signedTransaction(untyped)).toBeNull()
})

it.each([['0x7f'], ['0x99']])('of type %s is not encoded', async (type) => {
  expect(signedTransaction({ ...(await shown(2, FEES)), type })).toBeNull()
})
