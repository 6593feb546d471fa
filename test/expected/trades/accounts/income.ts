import type { LeggedTrade } from '../legs.ts'
import type { Hop } from '../receipt/hops.ts'
import type { Move } from '../receipt/moves-in-logs.ts'
import { BURNT, type Receipt, unwrapped } from '../receipt/receipt.ts'
import type { Parties } from './flows.ts'

const [ZERO] = BURNT

/** Removes an account's income, and tokens whose net repeats that of another token. */
export function withoutIncome(
  trades: readonly LeggedTrade[],
  hops: readonly Hop[],
  parties: Parties,
  receipt: Receipt,
): Receipt {
  const { signer, moves, nets } = receipt
  const accounts = [...parties.named, ...(signer === null ? [] : [signer])]
  const ends = new Set(trades.flatMap(({ through: { sell, buy } }) => [sell.token, buy.token]))
  const contracts = moves.flatMap(({ token, from, to }) => (ends.has(token) ? [from, to] : []))
  const scene: Scene = { ...parties, ends, traded: new Set([...ends, ...contracts]), accounts, hops, receipt }
  const left = moves.filter((move) => isIncome(move, scene) || isRepeated(move, scene))
  return left.length === 0
    ? receipt
    : { ...receipt, moves: moves.filter((move) => !left.includes(move)), nets: nets.without(left) }
}

interface Scene extends Parties {
  ends: ReadonlySet<string>
  traded: ReadonlySet<string>
  accounts: readonly string[]
  hops: readonly Hop[]
  receipt: Receipt
}

function isIncome(move: Move, scene: Scene): boolean {
  const { token, from, to } = move
  if (!scene.accounts.includes(to) || from === to || !scene.traded.has(token)) return false
  return from === ZERO ? isFreeMint(move, scene) : isGift(move, scene)
}

function isFreeMint({ token, to, amount }: Move, scene: Scene): boolean {
  const { moves } = scene.receipt
  const paid = moves.filter((move) => move.to === token && move.token !== token).map((move) => move.amount)
  const minted = moves.filter((move) => move.token === token && move.from === ZERO).map((move) => move.amount)
  if (paid.length > 0) return !paid.includes(amount) && minted.some((amount) => paid.includes(amount))
  return !isPoolsMint(token, scene) && gaveOnlyTraded(to, scene)
}

function isPoolsMint(token: string, { hops, receipt: { moves } }: Scene): boolean {
  return hops.some(
    ({ pool, tokenOut }) =>
      tokenOut === token && !moves.some((move) => move.token === token && move.from === pool.address),
  )
}

function isGift({ token, from, to }: Move, scene: Scene): boolean {
  return scene.ends.has(token) && !mayOwe(from, token, scene, new Set()) && gaveOnlyTraded(to, scene)
}

/** Returns whether an address may have got something for the tokens that it gives. */
function mayOwe(address: string, token: string, scene: Scene, asked: Set<string>): boolean {
  const { accounts, venues, receipt } = scene
  const { moves, deposits, nets, sender } = receipt
  if (accounts.includes(address) || address === sender || venues.has(address)) return true
  if (nets.gotCoins(address) || deposits.some(({ account }) => account === address)) return true
  if (moves.some((move) => move.token === address && move.to === ZERO)) return true
  asked.add(address)
  return moves.some((move) => {
    if (move.to !== address) return false
    if (move.token !== token) return true
    if (move.from !== ZERO) return !asked.has(move.from) && mayOwe(move.from, token, scene, asked)
    return isPoolsMint(token, scene) || moves.some((other) => other.to === token && other.token !== token)
  })
}

function gaveOnlyTraded(account: string, { traded, receipt }: Scene): boolean {
  const { nets, value, wrappedNative, logsCoins } = receipt
  const isUnseen = account === receipt.sender && value > unwrapped(receipt)
  const gaveCoins = logsCoins ? nets.coins(account) < 0n : isUnseen
  return (
    nets.tokens(account).every(({ token, net }) => net > 0n || traded.has(token)) &&
    (!gaveCoins || traded.has(wrappedNative))
  )
}

function isRepeated({ token, from, to }: Move, { accounts, traded, receipt: { nets, listed } }: Scene): boolean {
  if (traded.has(token) || listed.has(token)) return false
  return accounts.some(
    (account) =>
      [from, to].includes(account) &&
      nets.of(account, token) !== 0n &&
      nets
        .tokens(account)
        .some((other) => (traded.has(other.token) || listed.has(other.token)) && other.net === nets.of(account, token)),
  )
}
