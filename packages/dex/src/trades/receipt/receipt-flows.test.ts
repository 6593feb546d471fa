import { expect, test } from 'vitest'
import { at } from '../../../test/made-hop.ts'
import { topic, word } from '../../../test/made-log.ts'
import { topicOf } from '../../abi/contract-abi.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import { Totals } from '../../totals.ts'
import { Ledger } from './ledger.ts'
import { receiptFlows, SYSTEM_ADDRESS, withoutGas } from './receipt-flows.ts'

const [WETH, FOO, NFT, A, B, C] = [at('e1'), at('f00'), at('721'), at('aa'), at('bb'), at('cc')]
const topics = {
  transfer: topicOf('event Transfer(address indexed from, address indexed to, uint256 value)'),
  single: topicOf(
    'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  ),
  batch: topicOf(
    'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  ),
  deposit: topicOf('event Deposit(address indexed dst, uint256 wad)'),
  withdrawal: topicOf('event Withdrawal(address indexed src, uint256 wad)'),
  mint: topicOf('event Mint(address indexed sender, uint256 amount0, uint256 amount1)'),
  // Compound's event has the same topic, but no indexed fields.
  lent: topicOf('event Mint(address minter, uint256 mintAmount, uint256 mintTokens)'),
  burn: topicOf('event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)'),
  scaledMint: topicOf(
    'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  ),
  scaledBurn: topicOf(
    'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
  ),
  rangeMint: topicOf(
    'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  ),
  rangeBurn: topicOf(
    'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  ),
  modify: topicOf(
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  ),
  first404: topicOf('event ERC20Transfer(address indexed from, address indexed to, uint256 amount)'),
  sync: topicOf('event Sync(uint112 reserve0, uint112 reserve1)'),
}
const log = (address: Address, event: Hex, indexed: (Address | bigint)[], data: (Address | bigint)[]): Log => ({
  address,
  topics: [event, ...indexed.map(topic)],
  data: `0x${data.map(word).join('')}`,
  transactionIndex: 0,
  logIndex: 0,
})
const flowsOf = (...logs: Log[]) =>
  receiptFlows(
    logs.map((log, logIndex) => ({ ...log, logIndex })),
    WETH,
  )
const netsIn = (account: Address, ...logs: Log[]) => {
  const { tokens, isUnclear } = new Ledger(flowsOf(...logs), WETH).of(account)
  return { tokens: Object.fromEntries(tokens), isUnclear }
}
const moved = (token: Address, from: Address, to: Address, amount: bigint) =>
  log(token, topics.transfer, [from, to], [amount])

test('transfers are netted by account, without zeros', () => {
  const logs = [moved(FOO, A, B, 10n), moved(FOO, B, A, 3n), moved(NFT, A, B, 5n), moved(NFT, B, A, 5n)]
  expect(netsIn(A, ...logs)).toEqual({ tokens: { [FOO]: -7n }, isUnclear: false })
  expect(netsIn(A, moved(FOO, A, A, 9n))).toEqual({ tokens: {}, isUnclear: false })
  const ledger = new Ledger(flowsOf(...logs, moved(FOO, C, C, 4n)), WETH)
  expect(Object.fromEntries(ledger.ofToken(FOO))).toEqual({ [A]: -7n, [B]: 7n, [C]: 0n })
  expect(Object.fromEntries(ledger.ofToken(WETH))).toEqual({})
})

test('coins count with their wrapper, as far as they are known', () => {
  const transaction = { hash: '0xbeef', from: A, value: 3n } as const
  const logs = [log(WETH, topics.deposit, [B], [9n]), moved(SYSTEM_ADDRESS, A, C, 5n), moved(FOO, A, B, 1n)]
  const known = new Ledger(receiptFlows(logs, WETH, true), WETH)
  expect(Object.fromEntries(known.withCoins(WETH, transaction))).toEqual({ [A]: -5n, [B]: 9n, [C]: 5n })
  const unknown = new Ledger(receiptFlows(logs, WETH), WETH)
  expect(Object.fromEntries(unknown.withCoins(WETH, transaction))).toEqual({ [A]: -3n, [B]: 9n })
  expect(Object.fromEntries(unknown.withCoins(FOO, transaction))).toEqual({ [A]: -1n, [B]: 1n })
})

test('what an account wraps and unwraps itself counts as its wrapped coin', () => {
  const logs = [log(WETH, topics.deposit, [A], [9n]), log(WETH, topics.withdrawal, [A], [4n])]
  expect(netsIn(A, ...logs).tokens).toEqual({ [WETH]: 5n })
  expect(Object.fromEntries(new Ledger(flowsOf(...logs), WETH).ofToken(WETH))).toEqual({ [A]: 5n })
  expect(netsIn(B, ...logs).tokens).toEqual({})
  const elsewhere = flowsOf(log(FOO, topics.deposit, [A], [9n]), log(WETH, topics.deposit, [], [9n]))
  expect(elsewhere).toMatchObject({ deposits: [], withdrawals: [] })
})

test.each([
  ['an NFT', log(NFT, topics.transfer, [A, B, 7n], []), true],
  ['an item of several', log(NFT, topics.single, [B, A, B], [7n, 1n]), true],
  ['items in a batch', log(NFT, topics.batch, [B, A, B], [64n, 128n, 1n, 7n, 1n, 1n]), true],
  ['none of an item', log(NFT, topics.single, [B, A, B], [7n, 0n]), false],
  ['a batch cut short', log(NFT, topics.batch, [B, A, B], [64n, 128n, 2n, 7n, 1n, 1n]), false],
  ['a batch of impossible length', log(NFT, topics.batch, [B, A, B], [64n, 128n, 2n ** 255n, 7n, 1n, 1n]), false],
  ['a transfer without its amount', log(NFT, topics.transfer, [A, B], []), false],
  ['a transfer with two amounts', log(NFT, topics.transfer, [A, B], [1n, 2n]), false],
  ['an item event cut short', log(NFT, topics.single, [A, B], [7n, 1n]), false],
])('%s moves items: %s', (_, log, isUnclear) => {
  expect(netsIn(A, log)).toEqual({ tokens: {}, isUnclear })
  expect(netsIn(B, log).isUnclear).toBe(isUnclear)
  expect(netsIn(at('cc'), log).isUnclear).toBe(false)
})

test('an item that comes and goes does not count', () => {
  const there = log(NFT, topics.transfer, [A, B, 7n], [])
  const back = log(NFT, topics.transfer, [B, A, 7n], [])
  expect(netsIn(A, there, back).isUnclear).toBe(false)
  expect(netsIn(A, there, log(NFT, topics.transfer, [B, A, 8n], [])).isUnclear).toBe(true)
})

test('an item of which less comes back than went counts', () => {
  const single = (from: Address, to: Address, amount: bigint) => log(NFT, topics.single, [B, from, to], [7n, amount])
  const batch = log(NFT, topics.batch, [B, A, B], [64n, 160n, 2n, 7n, 8n, 2n, 2n, 1n])
  const eight = log(NFT, topics.single, [B, B, A], [8n, 1n])
  expect(netsIn(A, batch, single(B, A, 2n), eight).isUnclear).toBe(false)
  expect(netsIn(A, batch, single(B, A, 1n), eight).isUnclear).toBe(true)
  expect(netsIn(A, batch, single(B, A, 2n)).isUnclear).toBe(true)
})

/** An item from the second contract of DN404. */
const item = (from: Address, to: Address, id = 7n) => log(at('d404'), topics.transfer, [from, to, id], [])
test.each([
  ['a pair’s mint', [log(FOO, topics.sync, [], [5n, 6n]), log(FOO, topics.mint, [A], [1n, 2n])], false],
  ['a pair’s burn', [log(FOO, topics.sync, [], [5n, 6n]), log(FOO, topics.burn, [A, B], [1n, 2n])], true],
  ['a burnt range', [log(FOO, topics.rangeBurn, [A, 1n, 2n], [1n, 2n, 3n])], true],
  ['a minted range', [log(FOO, topics.rangeMint, [A, 1n, 2n], [A, 1n, 2n, 3n])], false],
  ['less liquidity in a manager', [log(FOO, topics.modify, [1n, A], [1n, 2n, 2n ** 256n - 1n, 0n])], true],
  ['more liquidity in a manager', [log(FOO, topics.modify, [1n, A], [1n, 2n, 1n, 0n])], false],
])('%s: whether liquidity is withdrawn', (_, logs, expected) => {
  expect(flowsOf(...logs)).toMatchObject({ changesLiquidity: true })
  expect(flowsOf(...logs).withdrawsLiquidity ?? false).toBe(expected)
})

test.each<[string, Log[], boolean]>([
  ['ERC-404, in one contract', [moved(NFT, A, B, 10n), log(NFT, topics.transfer, [A, B, 7n], [])], false],
  [
    'ERC-404 with items of ERC-1155',
    [moved(NFT, A, B, 10n), log(NFT, topics.single, [B, A, ZERO_ADDRESS], [7n, 1n])],
    false,
  ],
  [
    'the first of ERC-404',
    [log(NFT, topics.first404, [A, B], [10n]), log(NFT, topics.transfer, [A, B, 7n], [])],
    false,
  ],
  [
    'DN404, burnt before the transfer',
    [item(A, ZERO_ADDRESS), item(A, ZERO_ADDRESS, 8n), moved(FOO, A, B, 10n)],
    false,
  ],
  ['DN404, moved with it', [item(A, B), moved(FOO, A, B, 10n)], false],
  ['an item between other accounts', [item(A, C), moved(FOO, A, B, 10n)], true],
  ['an item that is paid for', [item(A, B), moved(FOO, B, A, 10n)], true],
  ['an item after the transfer', [moved(FOO, A, B, 10n), item(A, B)], true],
  [
    'an item and another event before the transfer',
    [item(A, B), log(FOO, topics.sync, [], []), moved(FOO, A, B, 1n)],
    true,
  ],
  [
    'an item before another contract’s, and the transfer',
    [item(A, B), log(NFT, topics.transfer, [A, B, 7n], []), moved(FOO, A, B, 1n)],
    true,
  ],
])('items that a token moves with its amounts do not count: %s', (_, logs, isUnclear) => {
  expect(netsIn(A, ...logs).isUnclear).toBe(isUnclear)
})

test.each([
  ['a transfer', [moved(FOO, A, B, 1n)], false],
  ['a pair’s mint', [log(FOO, topics.sync, [], [5n, 6n]), log(FOO, topics.mint, [A], [1n, 2n])], true],
  ['a pair’s burn', [log(FOO, topics.sync, [], [5n, 6n]), log(FOO, topics.burn, [A, B], [1n, 2n])], true],
  ['what a lending token minted', [log(FOO, topics.mint, [A], [1n, 2n])], false],
  ['what Compound minted', [log(FOO, topics.lent, [], [A, 1n, 2n])], false],
  [
    'it beside another contract’s reserves',
    [log(WETH, topics.sync, [], [5n, 6n]), log(FOO, topics.mint, [A], [1n, 2n])],
    false,
  ],
])('%s: whether it is a change of liquidity', (_, logs, expected) => {
  expect(flowsOf(...logs).changesLiquidity).toBe(expected)
})

const minted = (value: bigint, interest: bigint) => [
  moved(FOO, ZERO_ADDRESS, A, value),
  log(FOO, topics.scaledMint, [B, A], [value, interest, 1n]),
]
const burnt = (value: bigint, interest: bigint) => [
  moved(FOO, A, ZERO_ADDRESS, value),
  log(FOO, topics.scaledBurn, [A, B], [value, interest, 1n]),
]
test.each([
  ['interest alone, before a transfer', [...minted(300n, 300n), moved(FOO, A, B, 1_000n)], -1_000n],
  ['a supply', minted(25n, 20n), 5n],
  ['a withdrawal', burnt(700n, 300n), -1_000n],
  ['a withdrawal of less than the interest', minted(200n, 300n), -100n],
  ['another amount than was transferred', [moved(FOO, ZERO_ADDRESS, A, 7n), ...minted(25n, 20n).slice(1)], 7n],
  ['another account', [moved(FOO, ZERO_ADDRESS, A, 25n), log(FOO, topics.scaledMint, [A, B], [25n, 20n, 1n])], 25n],
  ['another token', [moved(FOO, ZERO_ADDRESS, A, 25n), log(NFT, topics.scaledMint, [B, A], [25n, 20n, 1n])], 25n],
])('interest that a lending token logs with a move is not part of it: %s', (_, logs, net) => {
  expect(netsIn(A, ...logs).tokens).toEqual({ [FOO]: net })
})

test('coin transfers do not belong to a token, and are read only if the block logs them', () => {
  const logs = [
    moved(SYSTEM_ADDRESS, A, B, 5n),
    moved(FOO, B, A, 1n),
    log(SYSTEM_ADDRESS, topics.transfer, [A, B, 7n], []),
  ]
  const plain = receiptFlows(logs, WETH)
  expect(plain).toMatchObject({ transfers: [{ token: FOO }], items: [] })
  expect(plain).not.toHaveProperty('coins')
  expect(new Ledger(plain, WETH).of(A)).toEqual({ tokens: new Totals([[FOO, 1n]]), isUnclear: false })

  const flows = receiptFlows(logs, WETH, true)
  expect(flows).toMatchObject({ transfers: [{ token: FOO }], items: [], coins: [{ from: A, to: B, amount: 5n }] })
  expect(new Ledger(flows, WETH).of(A)).toEqual({ tokens: new Totals([[FOO, 1n]]), coins: -5n, isUnclear: false })
  expect(new Ledger(flows, WETH).of(at('cc')).coins).toBe(0n)
  expect(receiptFlows([], WETH, true).coins).toEqual([])
})

test('more coins than a word holds show nothing', () => {
  const max = 2n ** 256n - 1n
  const logs = [moved(SYSTEM_ADDRESS, A, B, max), moved(SYSTEM_ADDRESS, A, B, 1n)]
  expect(new Ledger(receiptFlows(logs.slice(0, 1), WETH, true), WETH).of(B).isUnclear).toBe(false)
  expect(new Ledger(receiptFlows(logs, WETH, true), WETH).of(B).isUnclear).toBe(true)
  expect(new Ledger(receiptFlows(logs, WETH, true), WETH).of(A).isUnclear).toBe(true)
})

test('what an entry point is paid, and pays, in coins is gas', () => {
  const logs = [moved(SYSTEM_ADDRESS, A, NFT, 5n), moved(SYSTEM_ADDRESS, NFT, B, 4n), moved(SYSTEM_ADDRESS, B, A, 1n)]
  const flows = receiptFlows(logs, WETH, true)
  const entryPoint = { kind: 'erc4337', address: NFT } as const
  expect(withoutGas(flows, [entryPoint]).coins).toEqual([{ from: B, to: A, amount: 1n, logIndex: 0 }])
  expect(withoutGas(flows, [{ kind: 'cow', address: NFT }])).toBe(flows)
  expect(withoutGas(receiptFlows(logs, WETH), [entryPoint])).not.toHaveProperty('coins')
})
