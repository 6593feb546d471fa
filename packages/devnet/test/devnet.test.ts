import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NETWORK_NAMES, parseDexConfig } from '@dexfeed/dex'
import { AbiCoder, Contract, id } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, type DevnetChain, startDevnet } from '../src/index.ts'

const DAY_S = 86_400
const log = { info: () => undefined, warn: () => undefined }
const SWAP_TOPICS = [
  'Swap(address,uint256,uint256,uint256,uint256,address)',
  'Swap(address,address,int256,int256,uint160,uint128,int24)',
  'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)',
]

const dataDir = mkdtempSync(join(tmpdir(), 'dexfeed-devnet-'))
const startedAt = Math.floor(Date.now() / 1000)
let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ dataDir, log, historyBlocks: 80 })
})

afterAll(async () => {
  await devnet?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe.each(NETWORK_NAMES)('%s', (network) => {
  const chain = () => devnet.chains[network]

  test('answers with its chain id and begins before the seven days', async () => {
    expect(Number(await chain().rpc.send('eth_chainId', []))).toBe(chain().chainId)
    const genesis = await block(chain(), 0)
    expect(genesis.timestamp).toBeLessThan(startedAt - 7 * DAY_S)
  })

  test('no transaction failed but those that were meant to', async () => {
    const { failed, transactions } = chain().history
    expect(failed).toBe(0)
    expect(transactions).toBeGreaterThan(300)
    const statuses = (await receipts(chain())).map(({ status }) => status)
    expect(statuses).toContain('0x1')
  })

  test('block times grow strictly and each of the last seven UTC days has swaps', async () => {
    const { fromBlock, toBlock } = chain().history
    const blocks = await Promise.all(range(0, toBlock).map((number) => block(chain(), number)))
    for (const [index, { timestamp }] of blocks.entries()) {
      if (index > 0) expect(timestamp).toBeGreaterThan(blocks[index - 1]?.timestamp ?? Number.NaN)
    }
    const pools = new Set(chain().contracts.pools.map(({ address }) => address))
    const swaps = (await receipts(chain())).flatMap(({ logs }) => logs).filter((entry) => isSwap(entry, pools))
    const days = new Set(swaps.map(({ blockNumber }) => utcDay(blocks[Number(blockNumber)]?.timestamp)))
    const today = utcDay(blocks[toBlock]?.timestamp)
    for (const back of range(0, 6)) expect(days).toContain(today - back)
    expect(swaps.length).toBeGreaterThan(2 * (toBlock - fromBlock))
  })

  test('tokens tell their name, symbol and decimals', async () => {
    const abi = ['function symbol() view returns (string)', 'function name() view returns (string)']
    for (const { address, symbol, name, decimals, bytes32Metadata } of chain().contracts.tokens) {
      const strings = new Contract(address, [...abi, 'function decimals() view returns (uint8)'], chain().provider)
      expect(await call(strings, 'decimals')).toBe(BigInt(decimals))
      if (bytes32Metadata) {
        await expect(call(strings, 'symbol')).rejects.toThrow()
        const words = new Contract(address, ['function symbol() view returns (bytes32)'], chain().provider)
        expect(await call(words, 'symbol')).toBe(`0x${Buffer.from(symbol).toString('hex').padEnd(64, '0')}`)
      } else {
        expect([await call(strings, 'symbol'), await call(strings, 'name')]).toEqual([symbol, name])
      }
    }
  })

  test('history has every kind of thing in it', async () => {
    const { contracts } = chain()
    const all = await receipts(chain())
    const emitted = (signature: string, from?: string) =>
      all.filter(({ logs }) =>
        logs.some((entry) => entry.topics[0] === id(signature) && (!from || entry.address === from)),
      )
    const pools = new Set(contracts.pools.map(({ address }) => address))
    const hops = all.map(({ logs }) => logs.filter((entry) => isSwap(entry, pools)).length)
    for (const count of [1, 2, 3]) expect(hops).toContain(count)
    expect(all.filter(({ status }) => status === '0x0').length).toBeGreaterThan(0)
    expect(emitted('Sync(uint112,uint112)', contracts.forger).length).toBeGreaterThan(0)
    expect(emitted('Mint(address,address,int24,int24,uint128,uint256,uint256)').length).toBeGreaterThan(3)
    expect(emitted('Burn(address,int24,int24,uint128,uint256,uint256)').length).toBeGreaterThan(0)
    expect(emitted('Mint(address,uint256,uint256)').length).toBeGreaterThan(0)
    expect(emitted('Burn(address,uint256,uint256,address)').length).toBeGreaterThan(0)
    expect(emitted('Deposit(address,uint256)', contracts.wrappedNative).length).toBeGreaterThan(10)
    expect(emitted('Withdrawal(address,uint256)', contracts.wrappedNative).length).toBeGreaterThan(5)
  })

  test('every pool is vouched for by its factory, and the forger is not', async () => {
    const { pools, factories, forger } = chain().contracts
    const abi = [
      'function getPair(address, address) view returns (address)',
      'function getPool(address, address, uint24) view returns (address)',
    ]
    for (const { address, dex, token0, token1, fee, tickSpacing } of pools) {
      const factory = new Contract(factories[dex] ?? '', abi, chain().provider)
      const args = tickSpacing === null ? [token0, token1] : [token0, token1, fee]
      const vouched = String(await call(factory, tickSpacing === null ? 'getPair' : 'getPool', ...args))
      expect(vouched.toLowerCase()).toBe(address)
      expect(address).not.toBe(forger)
    }
  })

  test('one whole token of any kind is a small order for every pool', async () => {
    const { tokens, pools } = chain().contracts
    for (const pool of pools) {
      for (const [tokenIn, tokenOut] of [
        [pool.token0, pool.token1],
        [pool.token1, pool.token0],
      ] as const) {
        const [sold, bought] = [tokenIn, tokenOut].map((token) => tokens.find(({ address }) => address === token))
        if (!sold || !bought) throw new Error('a pool of an unknown token')
        const out = await quote(chain(), pool, tokenIn, tokenOut, 10n ** BigInt(sold.decimals))
        const received = (Number(out) / 10 ** bought.decimals) * bought.usd
        // Base units of the bought token may be coarse; then there is nothing to compare.
        if (out < 10_000n) continue
        expect(received / sold.usd).toBeGreaterThan(0.85)
        expect(received / sold.usd).toBeLessThan(1.15)
      }
    }
  })

  test('a swap through every pool gives exactly what the quoter said', async () => {
    for (const pool of chain().contracts.pools) {
      const amount =
        10n ** BigInt(chain().contracts.tokens.find(({ address }) => address === pool.token0)?.decimals ?? 0)
      const { taxBps } = chain().contracts.tokens.find(({ address }) => address === pool.token0) ?? {}
      const taxed = taxBps || chain().contracts.tokens.find(({ address }) => address === pool.token1)?.taxBps
      if (taxed) continue
      const quoted = await quote(chain(), pool, pool.token0, pool.token1, amount)
      if (pool.kind === 'uniswap-v3') expect((await quoterV2(chain(), pool, amount)).out).toBe(quoted)
      if (pool.kind === 'uniswap-v2') expect(await amountsOut(chain(), pool, amount)).toBe(quoted)
      expect(await swap(chain(), pool, amount)).toBe(quoted)
    }
  })

  test('large orders cross initialised ticks', async () => {
    const { pools, tokens } = chain().contracts
    const volatile = pools.filter(({ kind, fee }) => kind === 'uniswap-v3' && fee > 100)
    const crossings = await Promise.all(
      volatile.map(async (pool) => {
        const sold = tokens.find(({ address }) => address === pool.token0)
        if (!sold) throw new Error('a pool of an unknown token')
        const amount = BigInt(Math.floor((60_000 / sold.usd) * 10 ** sold.decimals))
        return (await quoterV2(chain(), pool, amount)).ticksCrossed
      }),
    )
    const crossing = crossings.filter((count) => count > 0).length
    expect(crossing).toBeGreaterThanOrEqual(volatile.length / 2)
  })

  test('pools of one pair agree on the price to within two percent', async () => {
    const { pools, tokens } = chain().contracts
    const prices = new Map<string, number[]>()
    for (const pool of pools) {
      const sold = tokens.find(({ address }) => address === pool.token0)
      // Too little to move the price.
      const amount = BigInt(Math.floor((50 / (sold?.usd ?? 1)) * 10 ** (sold?.decimals ?? 0)))
      const out = Number(await quote(chain(), pool, pool.token0, pool.token1, amount)) / (1 - pool.fee / 1e6)
      const pair = `${pool.token0}${pool.token1}`
      prices.set(pair, [...(prices.get(pair) ?? []), out])
    }
    for (const found of prices.values()) expect(Math.max(...found) / Math.min(...found)).toBeLessThan(1.02)
  })

  test('state can be called at the hash of a recent block, and the finalized tag trails the head', async () => {
    const head = await block(chain(), 'latest')
    const before = await block(chain(), head.number - 50)
    const [pool] = chain().contracts.pools
    const code = await chain().rpc.send('eth_call', [
      { to: pool?.address, data: '0x0dfe1681' },
      { blockHash: before.hash },
    ])
    expect(code).toBe(`0x${pool?.token0.slice(2).padStart(64, '0')}`)
    expect((await block(chain(), 'finalized')).number).toBe(head.number - 64)
  })

  test('trading goes on after blocks were taken back', async () => {
    await chain().trade(4)
    const before = await block(chain(), 'latest')
    await chain().rpc.send('anvil_reorg', [3, []])
    const after = await block(chain(), 'latest')
    expect(after.hash).not.toBe(before.hash)
    await chain().trade(3)
    const head = await block(chain(), 'latest')
    expect(head.number).toBe(after.number + 3)
    expect(head.timestamp).toBeGreaterThan(after.timestamp)
    expect(head.transactions).toBeGreaterThan(0)
  })
})

test('Multicall3 stands at its usual address, but not on polygon', async () => {
  const code = (chain: DevnetChain) =>
    chain.rpc.send<string>('eth_getCode', ['0xcA11bde05977b3631167028862bE2a173976CA11', 'latest'])
  expect((await code(devnet.chains.eth)).length).toBeGreaterThan(100)
  expect((await code(devnet.chains.bsc)).length).toBeGreaterThan(100)
  expect(await code(devnet.chains.polygon)).toBe('0x')
})

test('the DEX_CONFIG file has no problem and names all networks', () => {
  const { deployments, problems, warnings } = parseDexConfig(readFileSync(devnet.dexConfigFile, 'utf8'))
  expect([problems, warnings]).toEqual([[], []])
  expect(Object.keys(deployments)).toEqual([...NETWORK_NAMES])
  expect(deployments.polygon?.tokens[0]).toMatchObject({ symbol: 'WPOL', aliases: ['WMATIC'] })
})

test('some traders are active on two networks', () => {
  const { eth, bsc } = devnet.chains
  expect(eth.accounts.traders.filter((trader) => bsc.accounts.traders.includes(trader)).length).toBeGreaterThan(5)
})

test('bots mine blocks by themselves until they are stopped with everything else', async () => {
  const other = await startDevnet({ dataDir: join(dataDir, 'other'), log, historyBlocks: 2, networks: ['bsc'] })
  const { bsc } = other.chains
  const before = (await block(bsc, 'latest')).number
  other.startBots()
  await expect.poll(async () => (await block(bsc, 'latest')).number, { timeout: 20_000 }).toBeGreaterThan(before + 1)
  await other.stop()
  expect(() => process.kill(bsc.pid, 0)).toThrow('ESRCH')
  await expect(bsc.rpc.send('eth_chainId', [])).rejects.toThrow()
  await other.stop()
})

test('a start that is aborted leaves no node behind', async () => {
  const before = nodes()
  const abort = new AbortController()
  const options = { dataDir: join(dataDir, 'aborted'), log, historyBlocks: 300, signal: abort.signal }
  const start = startDevnet(options)
  await expect.poll(() => nodes() - before, { timeout: 20_000 }).toBe(3)
  abort.abort(new Error('changed my mind'))
  await expect(start).rejects.toThrow('changed my mind')
  expect(nodes()).toBe(before)
})

interface Receipt {
  status: string
  logs: { address: string; topics: string[]; data: string; blockNumber: string }[]
}

async function receipts(chain: DevnetChain): Promise<Receipt[]> {
  const { fromBlock, toBlock } = chain.history
  const calls = range(fromBlock, toBlock).map((number) => {
    return { method: 'eth_getBlockReceipts', params: [`0x${number.toString(16)}`] }
  })
  return (await chain.rpc.batch<Receipt[]>(calls)).flat()
}

async function block(chain: DevnetChain, at: number | string) {
  const tag = typeof at === 'number' ? `0x${at.toString(16)}` : at
  const found = await chain.rpc.send<{ number: string; timestamp: string; hash: string; transactions: string[] }>(
    'eth_getBlockByNumber',
    [tag, false],
  )
  return {
    number: Number(found.number),
    timestamp: Number(found.timestamp),
    hash: found.hash,
    transactions: found.transactions.length,
  }
}

type TestedPool = DevnetChain['contracts']['pools'][number]

const HOP = '(address pool, bool concentrated, address tokenIn, address tokenOut)'
const ROUTER_ABI = [
  `function quote(${HOP}[] hops, uint256 amountIn) returns (uint256)`,
  `function swap((uint256 amountIn, ${HOP}[] hops)[] branches, uint256 minOut, bool nativeOut) payable returns (uint256)`,
]

function quote(
  chain: DevnetChain,
  pool: TestedPool,
  tokenIn: string,
  tokenOut: string,
  amount: bigint,
): Promise<bigint> {
  const router = new Contract(chain.contracts.devRouter, ROUTER_ABI, chain.provider)
  const hop = [pool.address, pool.tickSpacing !== null, tokenIn, tokenOut]
  return router.getFunction('quote').staticCall([hop], amount)
}

async function quoterV2(chain: DevnetChain, { token0, token1, fee }: TestedPool, amount: bigint) {
  const params = '(address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 limit)'
  const abi = [`function quoteExactInputSingle(${params} p) returns (uint256 out, uint160, uint32 ticks, uint256)`]
  const quoter = new Contract(chain.contracts.uniswapV3?.quoterV2 ?? '', abi, chain.provider)
  const answer = await quoter.getFunction('quoteExactInputSingle').staticCall([token0, token1, amount, fee, 0])
  return { out: answer.out as bigint, ticksCrossed: Number(answer.ticks) }
}

async function amountsOut(chain: DevnetChain, { token0, token1 }: TestedPool, amount: bigint): Promise<bigint> {
  const abi = ['function getAmountsOut(uint256, address[]) view returns (uint256[])']
  const router = new Contract(chain.contracts.v2Router, abi, chain.provider)
  const answer = await router.getFunction('getAmountsOut').staticCall(amount, [token0, token1])
  return answer[1] as bigint
}

/** Mines a swap of token0 through a pool and reads what it gave out of the pool's own event. */
async function swap(chain: DevnetChain, pool: TestedPool, amount: bigint): Promise<bigint> {
  const [trader] = chain.accounts.traders
  const router = new Contract(chain.contracts.devRouter, ROUTER_ABI, chain.provider)
  const hop = [pool.address, pool.tickSpacing !== null, pool.token0, pool.token1]
  const data = router.interface.encodeFunctionData('swap', [[[amount, [hop]]], 0, false])
  const request = { from: trader, to: chain.contracts.devRouter, data, gas: '0x2dc6c0' }
  const hash = await chain.rpc.send<string>('eth_sendTransaction', [request])
  const { timestamp } = await block(chain, 'latest')
  await chain.rpc.send('evm_mine', [timestamp + 1])
  const receipt = await chain.rpc.send<Receipt>('eth_getTransactionReceipt', [hash])
  const event = receipt.logs.find((entry) => isSwap(entry, new Set([pool.address])))
  if (!event) throw new Error(`no Swap event in ${hash}`)
  const coder = AbiCoder.defaultAbiCoder()
  if (pool.tickSpacing === null) {
    const [, , out0, out1] = coder.decode(
      ['uint256', 'uint256', 'uint256', 'uint256'],
      event.data,
    ) as unknown as bigint[]
    return (out0 || out1) ?? 0n
  }
  const [, amount1] = coder.decode(['int256', 'int256'], event.data) as unknown as [bigint, bigint]
  return -amount1
}

const swapTopics = new Set(SWAP_TOPICS.map((signature) => id(signature)))

function isSwap({ address, topics }: { address: string; topics: string[] }, pools: ReadonlySet<string>): boolean {
  return pools.has(address) && swapTopics.has(topics[0] ?? '')
}

function call(contract: Contract, method: string, ...args: unknown[]): Promise<unknown> {
  return contract.getFunction(method).staticCall(...args)
}

/** Running nodes that this process started. */
function nodes(): number {
  const children = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n')
  return children.filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes('--chain-id')).length
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function utcDay(timestamp: number | undefined): number {
  return Math.floor((timestamp ?? Number.NaN) / DAY_S)
}
