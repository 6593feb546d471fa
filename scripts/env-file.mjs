// Reads .env, and reports before any build if it names no network.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

const WITH_NETWORK = ['start', 'indexer', 'doctor']
const RPC_URL = /^[A-Z0-9_]+_RPC_URL(_FILE)?$/

/**
 * Adds a file's variables to an environment, without replacing any. Node's own `loadEnvFile` takes a byte order mark,
 * which some editors write, as part of the first name.
 */
export function loadEnvFile(file, environment) {
  if (!existsSync(file)) return
  for (const [name, value] of Object.entries(parseEnv(textOf(readFileSync(file))))) environment[name] ??= value
}

/** Decodes text as its byte order mark says, and removes the mark. */
function textOf(bytes) {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** Returns what is missing to index a network, or null. */
export function missingNetwork(command, environment) {
  if (!WITH_NETWORK.includes(command) || environment.SECRETS_DIR?.trim()) return null
  if (Object.entries(environment).some(([name, value]) => RPC_URL.test(name) && value?.trim())) return null
  return [
    'no network is configured: not one RPC URL is set, in .env or in the environment',
    'cp .env.example .env      then set ETH_RPC_URL, BSC_RPC_URL or POLYGON_RPC_URL there',
    'npm run demo              shows everything on local chains, without a node',
  ].join('\n  ')
}
