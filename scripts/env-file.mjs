// Reads .env, and says before anything is built or installed that it names no network.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Commands that index a network, or check that they could. */
const WITH_NETWORK = ['start', 'indexer', 'doctor']
const RPC_URL = /^[A-Z0-9_]+_RPC_URL(_FILE)?$/

/**
 * Adds the variables of a file to an environment, which has priority. Node's own `loadEnvFile` takes a byte order mark
 * for a part of the first name. Editors write one, also before UTF-16.
 */
export function loadEnvFile(file, environment) {
  if (!existsSync(file)) return
  for (const [name, value] of Object.entries(parseEnv(textOf(readFileSync(file))))) environment[name] ??= value
}

/** Returns the text without a byte order mark. */
function textOf(bytes) {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** Returns what is missing before a command can index a network, null if nothing is. */
export function missingNetwork(command, environment) {
  if (!WITH_NETWORK.includes(command) || environment.SECRETS_DIR?.trim()) return null
  if (Object.entries(environment).some(([name, value]) => RPC_URL.test(name) && value?.trim())) return null
  return [
    'no network is configured: not one RPC URL is set, in .env or in the environment',
    'cp .env.example .env      then set ETH_RPC_URL, BSC_RPC_URL or POLYGON_RPC_URL there',
    'npm run demo              shows everything on local chains, without a node',
  ].join('\n  ')
}
