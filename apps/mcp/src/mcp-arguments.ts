import { type Check, checkMcpEnvironment, type ProcessSettings } from '@dexfeed/service'
import { Command, CommanderError, InvalidArgumentError } from 'commander'

const LAST_PORT = 65_535
/** Grafana uses port 3001. */
const DEFAULT_PORT = 3002

export interface McpSettings extends ProcessSettings {
  url: string
  httpPort: number | null
}

interface Given {
  url: string
  http?: true
  port?: number
}

export function checkMcp(args: readonly string[]): Check<McpSettings> {
  return (environment, readFile) => {
    const given = readOptions(args)
    if (typeof given === 'string') return { problems: [`mcp: ${given}`] }
    const { settings, problems } = checkMcpEnvironment(environment, readFile)
    if (settings === undefined) return { problems }
    const httpPort = given.http === true ? (given.port ?? DEFAULT_PORT) : null
    return { settings: { ...settings, url: given.url, httpPort } }
  }
}

function readOptions(args: readonly string[]): Given | string {
  const command = new Command('mcp')
    .description(
      'Serves the operations of a running API to agents as tools (Model Context Protocol). Over stdio by default: an agent ' +
        'starts this program itself. Needs the API, and nothing else.',
    )
    .option('--url <url>', 'the address of the API', apiUrl, 'http://127.0.0.1:3000')
    .option('--http', 'serve over streamable HTTP instead, at http://127.0.0.1:<port>/mcp, on this machine only')
    .option('--port <port>', `the port with --http (default: ${DEFAULT_PORT})`, port)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  try {
    const given = command.parse(args, { from: 'user' }).opts<Given>()
    return given.port !== undefined && given.http !== true ? '--port needs --http' : given
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) process.exit(0)
    return error.message
  }
}

function apiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('That is not an http(s) URL.')
  return text
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= LAST_PORT)) throw new InvalidArgumentError('That is not a port.')
  return number
}
