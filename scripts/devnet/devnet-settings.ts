import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { type Check, type ProgramSettings, projectRoot } from '@dexfeed/service'

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT_BASE = 8545
const LAST_PORT = 65_535

export interface DevnetSettings extends ProgramSettings {
  host: string
  portBase: number
  dataDir: string
}

export const checkDevnet: Check<DevnetSettings> = () => {
  const options = { host: { type: 'string' }, 'port-base': { type: 'string' }, dir: { type: 'string' } } as const
  let values: { host?: string; 'port-base'?: string; dir?: string }
  try {
    values = parseArgs({ args: process.argv.slice(2), options }).values
  } catch (error) {
    return {
      problems: [`devnet: ${(error as Error).message}`, 'devnet: the options are --host A, --port-base N and --dir D'],
    }
  }
  const { host = DEFAULT_HOST, 'port-base': text = String(DEFAULT_PORT_BASE), dir } = values
  const portBase = Number(text)
  const last = LAST_PORT + 1 - NETWORK_NAMES.length
  const problems = [
    ...(host.trim() === '' ? ['devnet: --host must be an address to listen on'] : []),
    ...(/^\d+$/.test(text) && portBase >= 1 && portBase <= last
      ? []
      : [`devnet: --port-base must be a whole number from 1 to ${last}, not ${JSON.stringify(text)}`]),
    ...(dir?.trim() === '' ? ['devnet: --dir must be a folder'] : []),
  ]
  if (problems.length > 0) return { problems }
  const dataDir = dir === undefined ? join(projectRoot(), '.data', 'chains') : resolve(dir)
  return { settings: { host, portBase, dataDir, logLevel: 'info', databaseUrl: null, warnings: [] } }
}
