import { type Address, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { JsonRpcProvider } from 'ethers'
import { type Anvil, startAnvil } from './anvil.ts'
import type { Artifacts } from './artifacts.ts'
import type { DevnetAccounts, DevnetContracts } from './contracts.ts'
import { deployNetwork } from './deploy.ts'
import { type DexConfigEntry, dexConfigEntry } from './dex-config.ts'
import { type BlockSummary, historyTimes, summarizeBlocks } from './history.ts'
import { NETWORK_PLANS } from './network-plan.ts'
import { createPriceKeeper } from './price-keeper.ts'
import { createReferencePrices } from './prices.ts'
import { createRandom, type Random } from './random.ts'
import { openRpc, type Rpc } from './rpc.ts'
import { type DevTransaction, openSession, type Session } from './session.ts'
import { createTraderBots } from './trader-bots.ts'

const HOUR_S = 3600
const DAY_S = 24 * HOUR_S
/** The chains are this much older than their history. */
const SETUP_S = 2 * HOUR_S
const SETUP_BLOCK_S = 12
const TRADERS = 60
const TRADERS_PER_NETWORK = 30
/** Two thirds of a network's traders are its own; so some are active on several. */
const TRADER_OFFSET: Record<NetworkName, number> = { eth: 0, bsc: 20, polygon: 40 }

export interface ChainOptions {
  network: NetworkName
  artifacts: Artifacts
  host: string
  port: number
  /** Time of the last block of history, in seconds since 1970. */
  now: number
  historyDays: number
  historyBlocks: number
  seed: number
  signal: AbortSignal
}

export interface DevnetChain {
  network: NetworkName
  chainId: number
  rpcUrl: string
  wsUrl: string
  /** Process id of the node. */
  pid: number
  deployment: DexConfigEntry
  contracts: DevnetContracts
  accounts: DevnetAccounts
  history: BlockSummary
  rpc: Rpc
  provider: JsonRpcProvider
  /** Mines blocks with a few bot transactions each, right now. Not while somebody else sends transactions. */
  trade(blocks?: number): Promise<void>
}

/** A chain together with what only its devnet may do to it. */
export interface OwnedChain {
  chain: DevnetChain
  died: Promise<string>
  stop(): Promise<void>
}

/** Starts a node, deploys a network on it and lives through its history. */
export async function startChain(options: ChainOptions): Promise<OwnedChain> {
  const { network, now, historyDays } = options
  const genesisTime = now - historyDays * DAY_S - SETUP_S
  const { chainId } = NETWORKS[network]
  const { host, port } = options
  const anvil = await startAnvil({ chainId, genesisTime, accounts: TRADERS + 2, host, port })
  try {
    options.signal.throwIfAborted()
    return await populate(options, anvil, genesisTime)
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

async function populate(options: ChainOptions, anvil: Anvil, genesisTime: number): Promise<OwnedChain> {
  const { network, artifacts, signal, now } = options
  const plan = NETWORK_PLANS[network]
  const rpc = openRpc(anvil.url)
  const session = openSession(rpc)
  const accounts = assignAccounts(network, await rpc.send<Hex[]>('eth_accounts', []))
  let setupTime = genesisTime
  const nextTime = () => {
    signal.throwIfAborted()
    setupTime += SETUP_BLOCK_S
    return setupTime
  }
  const contracts = await deployNetwork({ rpc, session, artifacts, plan, accounts, nextTime })

  const random = createRandom(options.seed * 31 + TRADER_OFFSET[network])
  const prices = createReferencePrices(contracts.tokens, random)
  const context = { contracts, artifacts, accounts, random, prices }
  const [act, keep] = [createTraderBots(context), createPriceKeeper(context)]
  const actor: Actor = { rpc, session, random, act, keep, advance: prices.advance }

  const firstBlock = (await latestBlock(rpc)).number + 1
  await liveThrough(actor, historyTimes(setupTime + HOUR_S, now, options.historyBlocks, random), setupTime, signal)
  const lastBlock = firstBlock + options.historyBlocks - 1
  // The set-up counts as well: a pool without liquidity would go unnoticed until somebody trades there.
  const history = await summarizeBlocks(rpc, 1, lastBlock, session.mayRevert)
  const { chainId } = NETWORKS[network]
  const provider = new JsonRpcProvider(anvil.url, chainId, { staticNetwork: true })
  const chain: DevnetChain = {
    network,
    chainId,
    rpcUrl: anvil.url,
    wsUrl: anvil.wsUrl,
    pid: anvil.pid,
    deployment: dexConfigEntry(plan, contracts),
    contracts,
    accounts,
    history: { ...history, fromBlock: firstBlock },
    rpc,
    provider,
    trade: createTrade(actor),
  }
  const stop = async () => {
    provider.destroy()
    await anvil.stop()
  }
  return { chain, died: anvil.died, stop }
}

interface Actor {
  rpc: Rpc
  session: Session
  random: Random
  act(): DevTransaction
  keep(): DevTransaction
  /** Moves the reference prices on by so many seconds. */
  advance(seconds: number): void
}

async function liveThrough(actor: Actor, times: readonly number[], from: number, signal: AbortSignal): Promise<void> {
  let last = from
  for (const time of times) {
    signal.throwIfAborted()
    actor.advance(time - last)
    last = time
    queueBlock(actor, 3 + actor.random.integer(5))
    await actor.session.mine(time)
  }
}

function queueBlock({ session, act, keep }: Actor, transactions: number): void {
  for (let index = 0; index < transactions; index++) session.queue(act())
  session.queue(keep())
}

/** Calls are carried out one after the other. */
function createTrade(actor: Actor): DevnetChain['trade'] {
  let last: Promise<void> = Promise.resolve()
  const mineBlocks = async (blocks: number) => {
    for (let index = 0; index < blocks; index++) {
      const { timestamp } = await latestBlock(actor.rpc)
      const time = Math.max(Math.floor(Date.now() / 1000), timestamp + 1)
      // Blocks may have been taken back since the last call, and nonces with them.
      await actor.session.resync()
      actor.advance(time - timestamp)
      queueBlock(actor, 1 + actor.random.integer(4))
      await actor.session.mine(time)
    }
  }
  return (blocks = 1) => {
    const turn = last.then(() => mineBlocks(blocks))
    last = turn.catch(() => undefined)
    return turn
  }
}

async function latestBlock(rpc: Rpc): Promise<{ number: number; timestamp: number }> {
  const block = await rpc.send<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  return { number: Number(block.number), timestamp: Number(block.timestamp) }
}

function assignAccounts(network: NetworkName, unlocked: readonly Hex[]): DevnetAccounts {
  const [deployer, keeper, ...everybody] = unlocked.map((address) => address.toLowerCase() as Address)
  if (!deployer || !keeper || everybody.length < TRADERS) throw new Error('the node has too few accounts')
  const traders = Array.from({ length: TRADERS_PER_NETWORK }, (_, index) => {
    const trader = everybody[(TRADER_OFFSET[network] + index) % TRADERS]
    if (!trader) throw new RangeError('no such trader')
    return trader
  })
  return { deployer, keeper, traders }
}
