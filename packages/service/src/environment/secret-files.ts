import { join } from 'node:path'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'

export type Environment = Readonly<Record<string, string | undefined>>
export type ReadFile = (path: string) => string

export const SECRETS: readonly string[] = [
  'DATABASE_URL',
  'API_DATABASE_URL',
  'REDIS_URL',
  'API_KEYS',
  'ALERTS_SECRETS',
  'LAKE_ACCESS_KEY_ID',
  'LAKE_SECRET_ACCESS_KEY',
  'CLICKHOUSE_PASSWORD',
  ...NETWORK_NAMES.flatMap((network) => [rpcVariable(network), ...historyVariables(network)]),
]

const FOLDER = 'SECRETS_DIR'

export type RpcVariable = `${Uppercase<NetworkName>}_RPC_URL`

export function rpcVariable(network: NetworkName): RpcVariable {
  return `${network.toUpperCase() as Uppercase<NetworkName>}_RPC_URL`
}

export type RateVariable = `${Uppercase<NetworkName>}_RPC_RATE`

export function rateVariable(network: NetworkName): RateVariable {
  return `${network.toUpperCase() as Uppercase<NetworkName>}_RPC_RATE`
}

export type HistoryVariable = `${Uppercase<NetworkName>}_HISTORY_${'URL' | 'KEY'}`

export function historyVariables(network: NetworkName): [url: HistoryVariable, key: HistoryVariable] {
  const name = network.toUpperCase() as Uppercase<NetworkName>
  return [`${name}_HISTORY_URL`, `${name}_HISTORY_KEY`]
}

export function givenValue(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined
}

export function withSecretFiles(
  environment: Environment,
  readFile: ReadFile,
): { environment: Environment; problems: string[] } {
  const complete: Record<string, string | undefined> = { ...environment }
  const problems: string[] = []
  for (const name of SECRETS) {
    const path = givenValue(environment, `${name}_FILE`)
    if (path === undefined) continue
    if (givenValue(environment, name) !== undefined) {
      problems.push(`${name}_FILE: is set beside ${name}; only one of them may be`)
      continue
    }
    try {
      const text = readFile(path).trim()
      if (text === '') problems.push(`${name}_FILE: ${JSON.stringify(path)} is empty`)
      complete[name] = text
    } catch (error) {
      problems.push(`${name}_FILE: cannot read ${JSON.stringify(path)} (${reasonOf(error)})`)
    }
  }
  problems.push(...addFolder(complete, readFile))
  return { environment: complete, problems }
}

export function isProblemOf(names: readonly string[], line: string): boolean {
  const [name = ''] = line.split(':', 1)
  return name === FOLDER || names.includes(name.replace(/_FILE$/, ''))
}

/**
 * Adds secrets from a folder whose files are named like the variables. A variable that is set wins; an empty file
 * counts as unset.
 */
function addFolder(environment: Record<string, string | undefined>, readFile: ReadFile): string[] {
  const folder = givenValue(environment, FOLDER)
  if (folder === undefined) return []
  const reason = reasonNotToRead(folder, readFile)
  if (reason !== 'EISDIR') return [`${FOLDER}: is not a readable folder: ${JSON.stringify(folder)} (${reason})`]
  const problems: string[] = []
  for (const name of SECRETS) {
    if (givenValue(environment, name) !== undefined) continue
    const path = join(folder, name)
    try {
      environment[name] = readFile(path).trim()
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== 'ENOENT') problems.push(`${name}: cannot read ${JSON.stringify(path)} (${reason})`)
    }
  }
  return problems
}

function reasonNotToRead(path: string, readFile: ReadFile): string {
  try {
    readFile(path)
    return 'a file'
  } catch (error) {
    return reasonOf(error)
  }
}

export function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error))
}
