import { Interface, type LogDescription, ZeroAddress } from 'ethers'
import type { RecordedLog, RecordedTransaction } from '../chain-record.ts'
import { isPoolEvent } from '../pool-events.ts'
import { parseExactly } from './parse-log.ts'

const TOKEN = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)'])
const WRAPPER = new Interface([
  'event Deposit(address indexed to, uint256 amount)',
  'event Withdrawal(address indexed from, uint256 amount)',
])
const ITEMS = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])
const LIQUIDITY = new Interface([
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
])

/** Where tokens end that nobody has any more. */
export const BURNT = [ZeroAddress, '0x000000000000000000000000000000000000dead']

/** A `Transfer` of a token. */
export interface Move {
  token: string
  from: string
  to: string
  amount: bigint
  logIndex: number
}

/** Coins that an account had wrapped or unwrapped. */
export interface Wrapping {
  account: string
  amount: bigint
  logIndex: number
}

/** What a receipt tells beside its hops. */
export interface Receipt {
  signer: string | null
  /** Coins that the transaction took along. */
  value: bigint
  wrappedNative: string
  moves: readonly Move[]
  deposits: readonly Wrapping[]
  withdrawals: readonly Wrapping[]
  /** Who emitted what only pools emit, verified or not. */
  poolLike: ReadonlySet<string>
  changesLiquidity: boolean
  /** By account, then by token or `contract#item`: what came less what went, where that is not zero. */
  nets: ReadonlyMap<string, ReadonlyMap<string, bigint>>
}

export function readReceipt({ from, value, logs }: RecordedTransaction, wrappedNative: string): Receipt {
  const moves = logs.flatMap((log) => parsed(TOKEN, log, ({ args }) => moveOf(log, args.from, args.to, args.value)))
  const wrappings = (name: string): Wrapping[] =>
    logs
      .filter(({ address }) => address === wrappedNative)
      .flatMap((log) =>
        parsed(WRAPPER, log, (event) => {
          const [account, amount] = event.args
          return event.name === name ? [{ account: lower(account), amount, logIndex: log.index }] : []
        }),
      )
  const [deposits, withdrawals] = [wrappings('Deposit'), wrappings('Withdrawal')]
  const book = new Ledger()
  for (const { token, from, to, amount } of moves) book.move(token, from, to, amount)
  for (const { account, amount } of deposits) book.add(account, wrappedNative, amount)
  for (const { account, amount } of withdrawals) book.add(account, wrappedNative, -amount)
  for (const log of logs) for (const item of itemsOf(log)) book.move(item.name, item.from, item.to, item.amount)
  return {
    signer: from === '' ? null : from,
    value,
    wrappedNative,
    moves,
    deposits,
    withdrawals,
    poolLike: new Set(logs.filter((log) => isPoolEvent(log) || isLiquidity(log)).map(({ address }) => address)),
    changesLiquidity: logs.some(isLiquidity),
    nets: book.nets(),
  }
}

/** Whether what an account nets is a token, no item. */
export function isToken(asset: string): boolean {
  return !asset.includes('#')
}

/** Who gained of a token. */
export function gainersOf(token: string, { nets }: Receipt): { account: string; amount: bigint }[] {
  return [...nets].flatMap(([account, held]) => {
    const amount = held.get(token) ?? 0n
    return amount > 0n ? [{ account, amount }] : []
  })
}

function isLiquidity(log: RecordedLog): boolean {
  return parseExactly(LIQUIDITY, log) !== null
}

/** Who has more of a token than before: no venue, nor the token's contract, nor where tokens are burnt. */
export function keepersOf(token: string, venues: ReadonlySet<string>, receipt: Receipt) {
  return gainersOf(token, receipt).filter(({ account }) => {
    return !venues.has(account) && account !== token && !BURNT.includes(account)
  })
}

class Ledger {
  readonly #accounts = new Map<string, Map<string, bigint>>()

  move(asset: string, from: string, to: string, amount: bigint): void {
    this.add(from, asset, -amount)
    this.add(to, asset, amount)
  }

  add(account: string, asset: string, amount: bigint): void {
    const held = this.#accounts.get(account) ?? new Map<string, bigint>()
    this.#accounts.set(account, held.set(asset, (held.get(asset) ?? 0n) + amount))
  }

  nets(): Map<string, Map<string, bigint>> {
    const nonzero = (held: Map<string, bigint>) => new Map([...held].filter(([, amount]) => amount !== 0n))
    return new Map([...this.#accounts].map(([account, held]) => [account, nonzero(held)]))
  }
}

function moveOf({ address, index }: RecordedLog, from: string, to: string, amount: bigint): Move[] {
  return [{ token: address, from: lower(from), to: lower(to), amount, logIndex: index }]
}

function itemsOf(log: RecordedLog): { name: string; from: string; to: string; amount: bigint }[] {
  return parsed(ITEMS, log, ({ name, args }) => {
    const ends = { from: lower(args.from), to: lower(args.to) }
    const one = (id: bigint, amount: bigint) => ({ ...ends, name: `${log.address}#${id}`, amount })
    if (name === 'Transfer') return [one(args.id, 1n)]
    if (name === 'TransferSingle') return [one(args.getValue('id'), args.getValue('value'))]
    const [ids, values] = [args.getValue('ids').toArray(), args.getValue('values').toArray()] as bigint[][]
    return (ids ?? []).map((id, at) => one(id, values?.[at] ?? 0n))
  })
}

/** Nothing where the log is none of these events. */
function parsed<T>(face: Interface, log: RecordedLog, read: (event: LogDescription) => T[]): T[] {
  const event = parseExactly(face, log)
  return event === null ? [] : read(event)
}

function lower(address: string): string {
  return address.toLowerCase()
}
