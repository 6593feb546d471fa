// Runs the demo's three chains on fixed ports, and keeps them between runs.
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type ProgramContext, runProgram } from '@dexfeed/service'
import { checkDevnet, type DevnetSettings } from './devnet/devnet-settings.ts'
import { openDevnet } from './open-devnet.ts'

runProgram('devnet', checkDevnet, async ({ settings, log, shutdown }: ProgramContext<DevnetSettings>) => {
  const { host, portBase, dataDir } = settings
  const ports = Object.fromEntries(
    NETWORK_NAMES.map((network, index): [NetworkName, number] => [network, portBase + index]),
  )
  const devnet = await openDevnet({ log, shutdown }, { dataDir, host, ports, keep: true })
  devnet.startBots()
  const urls = NETWORK_NAMES.map((network) => `${network.toUpperCase()}_RPC_URL=${devnet.chains[network].rpcUrl}`)
  process.stdout.write(`${[...urls, `DEX_CONFIG=${devnet.dexConfigFile}`].join('\n')}\n`)
})
