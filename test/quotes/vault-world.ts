import { createRequire } from 'node:module'
import type { Address, Deployment, Hex } from '@dexfeed/dex'
import { type Artifact, type Contract, type LocalChain, startLocalChain } from '@dexfeed/indexer/test/local-chain'
import { AbiCoder } from 'ethers'

const load = createRequire(import.meta.url)
const deployed = (name: string): Artifact => load(`@balancer-labs/v2-deployments/deployed/mainnet/${name}.json`)
const POOL: Artifact = { abi: ['function getPoolId() view returns (bytes32)'], bytecode: '' }

const UNIT = 10n ** 18n
const SUPPLY = 2n ** 110n
const SWAP_FEE = UNIT / 400n
const WEIGHTS = [UNIT / 2n, (3n * UNIT) / 10n, UNIT / 5n]
const RESERVES = [1_000n * UNIT, 7_000n * UNIT, 333n * UNIT]
const DEADLINE = 10n ** 12n
const [INIT, EXACT_TOKENS_IN] = [0, 1]
const NO_PAUSE = [7_776_000, 2_592_000]
const GIVEN_IN = 0

const lower = ({ address }: Contract) => address.toLowerCase() as Address

/** Balancer V2 with one weighted pool of three tokens, on a local chain. */
export interface VaultWorld {
  chain: LocalChain
  deployment: Deployment
  tokens: readonly Address[]
  pool: Contract
  swap(from: number, to: number, amountIn: bigint): Promise<unknown>
  join(amounts: readonly bigint[]): Promise<unknown>
  /**
   * Creates a pool from a factory that the deployment does not name, with ten times as much of one token, and swaps
   * once.
   */
  offerByStranger(token: number): Promise<void>
  quote(from: number, to: number, amountIn: bigint): Promise<bigint>
}

export async function startVaultWorld(): Promise<VaultWorld> {
  const chain = await startLocalChain(1)
  const weth = await chain.deploy(load('@uniswap/v2-periphery/build/WETH9.json'))
  const authorizer = await chain.deploy(deployed('Authorizer'), chain.account)
  const vault = await chain.deploy(deployed('Vault'), authorizer.address, weth.address, ...NO_PAUSE)
  const factory = await chain.deploy(deployed('WeightedPoolFactory'), vault.address)
  const contracts: Contract[] = []
  for (let made = 0; made < WEIGHTS.length; made++) {
    const token = await chain.deploy(load('@uniswap/v2-core/build/ERC20.json'), SUPPLY)
    await token.send('approve', vault.address, SUPPLY)
    contracts.push(token)
  }
  const tokens = contracts.map(({ address }) => address).sort()
  const makePool = async (by: Contract) => {
    const create = ['made pool', 'MADE', tokens, WEIGHTS, SWAP_FEE, chain.account]
    const [address] = await by.call('create', ...create)
    await by.send('create', ...create)
    const pool = chain.at(address.toLowerCase() as Hex, { abi: POOL.abi })
    const [id] = await pool.call('getPoolId')
    return { pool, id }
  }
  const joinPool = (id: unknown, kind: number, amounts: readonly bigint[]) => {
    const types = ['uint256', 'uint256[]', ...(kind === INIT ? [] : ['uint256'])]
    const userData = AbiCoder.defaultAbiCoder().encode(types, [kind, amounts, ...(kind === INIT ? [] : [0n])])
    return vault.send('joinPool', id, chain.account, chain.account, [tokens, amounts, userData, false])
  }
  const { pool, id } = await makePool(factory)
  await joinPool(id, INIT, RESERVES)
  const funds = [chain.account, false, chain.account, false]
  const [wrappedNative, stablecoin] = tokens
  if (wrappedNative === undefined || stablecoin === undefined) throw new Error('no tokens')
  return {
    chain,
    tokens,
    pool,
    join: (amounts) => joinPool(id, EXACT_TOKENS_IN, amounts),
    deployment: {
      network: 'eth',
      wrappedNative,
      stablecoins: [stablecoin],
      anchors: [],
      tokens: [],
      finalityDepth: 64,
      dexes: [{ name: 'balancer-v2', kind: 'balancer-v2', factory: lower(vault), poolFactories: [lower(factory)] }],
    },
    async offerByStranger(token) {
      const stranger = await makePool(await chain.deploy(deployed('WeightedPoolFactory'), vault.address))
      await joinPool(
        stranger.id,
        INIT,
        RESERVES.map((reserve, at) => (at === token ? 10n * reserve : reserve)),
      )
      const step = [stranger.id, GIVEN_IN, tokens[(token + 1) % 3], tokens[token], UNIT, '0x']
      await vault.send('swap', step, funds, 0n, DEADLINE)
    },
    swap: (from, to, amountIn) =>
      vault.send('swap', [id, GIVEN_IN, tokens[from], tokens[to], amountIn, '0x'], funds, 0n, DEADLINE),
    async quote(from, to, amountIn) {
      const step = [id, 0, 1, amountIn, '0x']
      const [deltas] = await vault.call('queryBatchSwap', GIVEN_IN, [step], [tokens[from], tokens[to]], funds)
      return -BigInt(deltas[1])
    },
  }
}
