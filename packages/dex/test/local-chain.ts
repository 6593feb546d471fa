import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Interface, type InterfaceAbi, JsonRpcProvider, type Result } from 'ethers'

const GAS = '0x3b9aca00'
/** Number of blocks on top of a block that make it final. */
const FINAL_AFTER = 8

/** A compiled contract, such as an artifact of a Uniswap package. */
export interface Artifact {
  abi: unknown
  bytecode: string
}

export interface Contract {
  address: string
  /** Calls a view function at the latest block. */
  call(method: string, ...args: unknown[]): Promise<Result>
  /** Sends a transaction and resolves when it is mined; rejects if it reverts. */
  send(method: string, ...args: unknown[]): Promise<void>
  /** Like `send`, but with coins; returns the transaction's hash. */
  pay(value: bigint, method: string, ...args: unknown[]): Promise<string>
  encode(method: string, ...args: unknown[]): string
}

/** A local chain that mines every transaction immediately, with one account that has all rights. */
export interface LocalChain {
  account: string
  url: string
  rpc(method: string, params: readonly unknown[]): Promise<unknown>
  deploy(artifact: Artifact, ...args: unknown[]): Promise<Contract>
  at(address: string, artifact: Artifact): Contract
  stop(): Promise<void>
}

export async function startLocalChain(chainId = 31337): Promise<LocalChain> {
  const options = ['--gas-limit', '2000000000', '--hardfork', 'cancun', '--chain-id', String(chainId)]
  // Keeps the states of the newest 300 blocks, only in memory; calls at older blocks fail.
  options.push('--prune-history', '300')
  // A block is final after two epochs.
  options.push('--slots-in-an-epoch', String(FINAL_AFTER / 2))
  const { url, stop } = await startAnvil(options)
  const provider = new JsonRpcProvider(url, chainId, {
    staticNetwork: true,
    batchStallTime: 0,
  })
  const [account] = (await provider.send('eth_accounts', [])) as [string]

  const mined = async (
    transaction: object,
  ): Promise<{ status: string; contractAddress: string; transactionHash: string }> => {
    const hash = await provider.send('eth_sendTransaction', [{ from: account, gas: GAS, ...transaction }])
    for (;;) {
      const receipt = await provider.send('eth_getTransactionReceipt', [hash])
      if (receipt?.status === '0x1') return receipt
      if (receipt) throw new Error(`transaction ${hash} reverted`)
    }
  }
  const at = (address: string, { abi }: Artifact): Contract => {
    const face = new Interface(abi as InterfaceAbi)
    const pay: Contract['pay'] = async (value, method, ...args) => {
      const data = face.encodeFunctionData(method, args)
      return (await mined({ to: address, value: `0x${value.toString(16)}`, data })).transactionHash
    }
    return {
      address,
      async call(method, ...args) {
        const transaction = { from: account, to: address, gas: GAS, data: face.encodeFunctionData(method, args) }
        return face.decodeFunctionResult(method, await provider.send('eth_call', [transaction, 'latest']))
      },
      async send(method, ...args) {
        await pay(0n, method, ...args)
      },
      pay,
      encode: (method, ...args) => face.encodeFunctionData(method, args),
    }
  }
  return {
    account,
    url,
    rpc: (method, params) => provider.send(method, [...params]),
    at,
    async deploy(artifact, ...args) {
      const constructorData = new Interface(artifact.abi as InterfaceAbi).encodeDeploy(args).slice(2)
      const code = artifact.bytecode.startsWith('0x') ? artifact.bytecode : `0x${artifact.bytecode}`
      const { contractAddress } = await mined({ data: code + constructorData })
      return at(contractAddress, artifact)
    },
    async stop() {
      provider.destroy()
      await stop()
    },
  }
}

export async function startAnvil(options: readonly string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const node = spawn(anvilBinary(), ['--port', '0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  return {
    url: `http://127.0.0.1:${await listeningPort(node)}`,
    async stop() {
      if (node.exitCode !== null || node.signalCode !== null) return
      node.kill('SIGTERM')
      await once(node, 'exit')
    },
  }
}

/** The launcher of @foundry-rs/anvil needs an install script, but the platform's package contains the binary. */
function anvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'anvil')
}

async function listeningPort(node: ChildProcess): Promise<string> {
  if (node.stdout === null) throw new Error('anvil was started without a pipe')
  const lines = createInterface({ input: node.stdout })
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const match = /^Listening on .*:(\d+)$/.exec(line)
      if (match?.[1] !== undefined) resolve(match[1])
    })
    node.once('error', reject)
    node.once('exit', (code) => reject(new Error(`anvil ended with ${code}`)))
  })
}
