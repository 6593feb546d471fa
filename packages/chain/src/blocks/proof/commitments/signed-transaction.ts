import type { Address, Hex } from '@dexfeed/dex'
import { getBytes, Signature, Transaction, type TransactionLike, toBeHex } from 'ethers'
import type { RpcObject } from '../../../json-rpc/rpc-value.ts'

export const TRANSACTIONS_PER_TURN = 16

export interface SignedTransaction {
  hash: Hex
  encoding: Uint8Array
  /** Recovers the sender, which takes about a millisecond; null if the signature is invalid. */
  sender(): Address | null
}

const ALL = ['nonce', 'gas', 'value', 'input', 'r', 's']
const DYNAMIC_FEES = ['maxFeePerGas', 'maxPriorityFeePerGas', 'chainId', 'accessList']
/** Additional fields of each type: legacy, EIP-2930, 1559, 4844, 7702. */
const BY_TYPE: readonly (readonly string[])[] = [
  ['gasPrice'],
  ['gasPrice', 'chainId', 'accessList'],
  DYNAMIC_FEES,
  [...DYNAMIC_FEES, 'maxFeePerBlobGas', 'blobVersionedHashes'],
  [...DYNAMIC_FEES, 'authorizationList'],
]

/** Encodes a transaction. Returns null if its type is unknown, or if its signature or another field is missing. */
export function signedTransaction(raw: RpcObject): SignedTransaction | null {
  const type = Number(raw.type ?? 0)
  const typeFields = BY_TYPE[type]
  if (typeFields === undefined || raw.to === undefined) return null
  if ([...ALL, ...typeFields].some((name) => raw[name] === undefined || raw[name] === null)) return null
  try {
    const { to, nonce, value, input: data, gas: gasLimit, authorizationList } = raw
    const fields = { type, to, nonce: Number(nonce), value, data, gasLimit, signature: signatureOf(raw, type === 0) }
    const more = {
      ...Object.fromEntries(typeFields.map((name) => [name, raw[name]])),
      ...authorized(authorizationList),
    }
    const transaction = Transaction.from({ ...more, ...fields } as TransactionLike)
    const hash = transaction.hash as Hex
    const encoding = getBytes(transaction.serialized)
    return { hash, encoding, sender: () => senderOf(transaction) }
  } catch {
    return null
  }
}

function senderOf(transaction: Transaction): Address | null {
  try {
    return (transaction.from?.toLowerCase() ?? null) as Address | null
  } catch {
    return null
  }
}

/** @param isLegacy whether `v` encodes the parity as 27 or 28, or with the chain id (EIP-155) */
function signatureOf({ r, s, v, yParity }: RpcObject, isLegacy: boolean): Signature {
  const word = (value: unknown) => toBeHex(BigInt(String(value)), 32)
  if (BigInt(String(r)) === 0n) throw new Error('no signature')
  const parity = Number(isLegacy ? v : (yParity ?? v))
  // ethers would encode other values differently: an invalid authorization may have any parity up to 255.
  if (isLegacy ? parity < 27 : parity > 1) throw new Error('not as it is encoded')
  return Signature.from({ r: word(r), s: word(s), v: parity })
}

function authorized(list: unknown): object {
  if (!Array.isArray(list)) return {}
  const authorizationList = (list as RpcObject[]).map((readonly) => ({
    address: readonly.address,
    nonce: readonly.nonce,
    chainId: readonly.chainId,
    signature: signatureOf(readonly, false),
  }))
  return { authorizationList }
}
