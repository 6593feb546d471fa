import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'

const DEFAULT_PORT = 3000
const LAST_PORT = 65_535

export interface DemoSettings extends ProgramSettings {
  /** 0 takes any free port. */
  port: number
}

export const checkDemo: Check<DemoSettings> = () => {
  let text: string | undefined
  try {
    text = parseArgs({ args: process.argv.slice(2), options: { port: { type: 'string' } } }).values.port
  } catch (error) {
    return { problems: [`demo: ${(error as Error).message}`, 'demo: the only option is --port N'] }
  }
  const port = Number(text ?? DEFAULT_PORT)
  if (text?.trim() === '' || !Number.isInteger(port) || port < 0 || port > LAST_PORT) {
    return { problems: [`demo: --port must be a whole number from 0 to ${LAST_PORT}, not ${JSON.stringify(text)}`] }
  }
  return { settings: { port, logLevel: 'warn', databaseUrl: null, warnings: [] } }
}

/**
 * Returns the port, or a free one for 0. Runs first, because start-up takes half a minute.
 * @throws Error if the port is in use
 */
export async function choosePort(host: string, port: number): Promise<number> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`
    throw new Error(`port ${port} ${reason}; choose another one: npm run demo -- --port ${port + 1}`, { cause })
  }
  const chosen = (server.address() as AddressInfo).port
  await once(server.close(), 'close')
  return chosen
}
