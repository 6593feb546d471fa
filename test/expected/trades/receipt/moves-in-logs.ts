import { type Interface, id } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'
import { eventInterface } from '../../event-interface.ts'
import { type ParsedEvent, parseExactly, parseMove } from './parse-log.ts'

const [TRANSFER, DEPOSIT, WITHDRAWAL] = [
  id('Transfer(address,address,uint256)'),
  id('Deposit(address,uint256)'),
  id('Withdrawal(address,uint256)'),
]
const FIRST_404 = id('ERC20Transfer(address,address,uint256)')
const ITEMS = eventInterface([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])
const PAIR_LIQUIDITY = eventInterface([
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
])
const POLYGON = eventInterface([
  'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
])
const SCALED = eventInterface([
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
])
const RESERVES = [id('Sync(uint112,uint112)'), id('Sync(uint256,uint256)')]
const RANGE_LIQUIDITY = eventInterface([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
])
const ONE_WORD = '0x'.length + 64

export interface Move {
  token: string
  from: string
  to: string
  amount: bigint
  logIndex: number
}

export interface Wrapping {
  account: string
  amount: bigint
  logIndex: number
}

export function coinMoveIn(log: RecordedLog): Move[] {
  return log.data.length === ONE_WORD ? moveIn(log) : []
}

/** Reads a transfer of Polygon's coin. If the balances did not change by the amount, the event only repeats others. */
export function polygonMoveIn(log: RecordedLog): Move[] {
  return parsed(POLYGON, log, ({ args }) => {
    const value = (name: string): bigint => args.getValue(name)
    const amount = value('amount')
    if (value('input1') - value('output1') !== amount || value('output2') - value('input2') !== amount) return []
    return [
      {
        token: log.address,
        from: lower(args.getValue('from')),
        to: lower(args.getValue('to')),
        amount,
        logIndex: log.index,
      },
    ]
  })
}

export function moveIn(log: RecordedLog): Move[] {
  const { accounts: [from, to] = [], amount } = parseMove(TRANSFER, log, 2) ?? {}
  if (from === undefined || to === undefined || amount === undefined) return []
  return [{ token: log.address, from, to, amount, logIndex: log.index }]
}

/** Returns a lending token's move without the interest, which the next log states. */
export function withoutInterest(moves: Move[], next: RecordedLog | undefined): Move[] {
  const [move] = moves
  const event = next === undefined || next.address !== move?.token ? null : parseExactly(SCALED, next)
  if (move === undefined || event === null || next?.index !== move.logIndex + 1) return moves
  const value = (name: string): bigint => event.args.getValue(name)
  const isMint = event.name === 'Mint'
  const account = String(event.args.getValue(isMint ? 'onBehalfOf' : 'from')).toLowerCase()
  const [came, zero] = isMint ? [move.to, move.from] : [move.from, move.to]
  if (value('value') !== move.amount || account !== came || zero !== `0x${'0'.repeat(40)}`) return moves
  const moved = (isMint ? move.amount : -move.amount) - value('balanceIncrease')
  if (moved === 0n) return []
  return moved > 0n
    ? [{ ...move, from: zero, to: account, amount: moved }]
    : [{ ...move, from: account, to: zero, amount: -moved }]
}

export function wrappingIn(log: RecordedLog): (Wrapping & { isOut: boolean })[] {
  return [DEPOSIT, WITHDRAWAL].flatMap((topic) => {
    const { accounts: [account] = [], amount } = parseMove(topic, log, 1) ?? {}
    if (account === undefined || amount === undefined) return []
    return [{ account, amount, logIndex: log.index, isOut: topic === WITHDRAWAL }]
  })
}

export function itemsIn(log: RecordedLog): { name: string; from: string; to: string; amount: bigint }[] {
  return parsed(ITEMS, log, ({ name, args }) => {
    const ends = { from: lower(args.from), to: lower(args.to) }
    const each = (item: bigint, amount: bigint) => ({ ...ends, name: `${log.address}#${item}`, amount })
    if (name === 'Transfer') return [each(args.id, 1n)]
    if (ITEMS.encodeEventLog(name, args.toArray()).data !== log.data) return []
    if (name === 'TransferSingle') return [each(args.getValue('id'), args.getValue('value'))]
    const [ids, values] = [args.getValue('ids').toArray(), args.getValue('values').toArray()] as bigint[][]
    return (ids ?? []).map((item, at) => each(item, values?.[at] ?? 0n))
  })
}

export function isFirst404({ topics }: RecordedLog): boolean {
  return topics[0] === FIRST_404
}

export function isPairLiquidity(log: RecordedLog): boolean {
  return parseExactly(PAIR_LIQUIDITY, log) !== null
}

export function isWithdrawal(log: RecordedLog): boolean {
  const event = parseExactly(PAIR_LIQUIDITY, log) ?? parseExactly(RANGE_LIQUIDITY, log)
  if (event?.name === 'ModifyLiquidity') return event.args.getValue('liquidityDelta') < 0n
  return event?.name === 'Burn'
}

export function isReserves({ topics }: RecordedLog): boolean {
  return RESERVES.includes(topics[0] ?? '')
}

export function isRangeLiquidity(log: RecordedLog): boolean {
  return parseExactly(RANGE_LIQUIDITY, log) !== null
}

function parsed<T>(face: Interface, log: RecordedLog, read: (event: ParsedEvent) => T[]): T[] {
  const event = parseExactly(face, log)
  return event === null ? [] : read(event)
}

function lower(address: string): string {
  return address.toLowerCase()
}
