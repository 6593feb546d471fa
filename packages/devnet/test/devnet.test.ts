import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_S, dayOf, NETWORK_NAMES, parseDexConfig } from '@dexfeed/dex'
import { Contract, id } from 'ethers'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Devnet, type DevnetChain, startDevnet } from '../src/index.ts'
import { amountsOut, block, isSwap, quote, quoterV2, range, receipts, swap } from './ask-chain.ts'

const log = { info: () => undefined, warn: () => undefined }
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

describe.each(inject('scale') > 1 ? NETWORK_NAMES : (['bsc'] as const))('%s', (network) => {
  const chain = () => devnet.chains[network]

  test('returns its chain id and begins before the seven days', async () => {
    expect(Number(await chain().rpc.send('eth_chainId', []))).toBe(chain().chainId)
    const genesis = await block(chain(), 0)
    expect(genesis.timestamp).toBeLessThan(startedAt - 7 * DAY_S)
  })

  test('only transactions failed that were meant to', async () => {
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
    const days = new Set(swaps.map(({ blockNumber }) => dayOf(blocks[Number(blockNumber)]?.timestamp ?? Number.NaN)))
    const today = dayOf(blocks[toBlock]?.timestamp ?? Number.NaN)
    for (const back of range(0, 6)) expect(days).toContain(today - back)
    expect(swaps.length).toBeGreaterThan(2 * (toBlock - fromBlock))
  })

  test('tokens return their name, symbol and decimals', async () => {
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

  test('history has every kind of transaction', async () => {
    const { contracts } = chain()
    const all = await receipts(chain())
    const emitted = (signature: string, from?: string) => {
      const topic = id(signature)
      return all.filter(({ logs }) =>
        logs.some((entry) => entry.topics[0] === topic && (!from || entry.address === from)),
      )
    }
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

  test('every pool is verified by its factory, and the forger is not', async () => {
    const { pools, factories, forger } = chain().contracts
    const abi = [
      'function getPair(address, address) view returns (address)',
      'function getPool(address, address, uint24) view returns (address)',
    ]
    for (const { address, dex, token0, token1, fee, tickSpacing } of pools) {
      const factory = new Contract(factories[dex] ?? '', abi, chain().provider)
      const args = tickSpacing === null ? [token0, token1] : [token0, token1, fee]
      const answer = String(await call(factory, tickSpacing === null ? 'getPair' : 'getPool', ...args))
      expect(answer.toLowerCase()).toBe(address)
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
        // A few base units of the bought token are too coarse to compare.
        if (out < 10_000n) continue
        expect(received / sold.usd).toBeGreaterThan(0.85)
        expect(received / sold.usd).toBeLessThan(1.15)
      }
    }
  })

  test('a swap through every pool gives exactly what the quoter returned', async () => {
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
      // This amount is too small to move the price.
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

  test('trading continues after blocks were rolled back', async () => {
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

test('Multicall3 is at its usual address, but not on polygon', async () => {
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

test('an aborted start leaves no node running', async () => {
  const before = nodes()
  const abort = new AbortController()
  const options = { dataDir: join(dataDir, 'aborted'), log, historyBlocks: 300, signal: abort.signal }
  const start = startDevnet(options)
  await expect.poll(() => nodes() - before).toBe(NETWORK_NAMES.length)
  abort.abort(new Error('changed my mind'))
  await expect(start).rejects.toThrow('changed my mind')
  expect(nodes()).toBe(before)
})

// This test comes last, because it stops the nodes.
test('bots mine blocks by themselves until they are stopped with everything else', async () => {
  const { bsc } = devnet.chains
  const before = (await block(bsc, 'latest')).number
  devnet.startBots()
  await expect.poll(async () => (await block(bsc, 'latest')).number).toBeGreaterThan(before + 1)
  await devnet.stop()
  expect(() => process.kill(bsc.pid, 0)).toThrow('ESRCH')
  await expect(bsc.rpc.send('eth_chainId', [])).rejects.toThrow()
  await devnet.stop()
})

function call(contract: Contract, method: string, ...args: unknown[]): Promise<unknown> {
  return contract.getFunction(method).staticCall(...args)
}

/** Counts running nodes that this process started. */
function nodes(): number {
  const children = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n')
  return children.filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes('--chain-id')).length
}
