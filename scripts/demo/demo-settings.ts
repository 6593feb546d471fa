import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'

const DEFAULT_PORT = 3000
const LAST_PORT = 65_535

export interface DemoSettings extends ProgramSettings {
  /** Of the API; 0: any free one. */
  port: number
}

/** Reads the command line; the environment has no say in a demo. */
export const checkDemo: Check<DemoSettings> = () => {
  let text: string | undefined
  try {
    text = parseArgs({ args: process.argv.slice(2), options: { port: { type: 'string' } } }).values.port
  } catch (error) {
    return { problems: [`demo: ${(error as Error).message}`, 'demo: there is --port N'] }
  }
  const port = Number(text ?? DEFAULT_PORT)
  if (text?.trim() === '' || !Number.isInteger(port) || port < 0 || port > LAST_PORT) {
    return { problems: [`demo: --port must be a whole number from 0 to ${LAST_PORT}, not ${JSON.stringify(text)}`] }
  }
  return { settings: { port, logLevel: 'warn', databaseUrl: null, warnings: [] } }
}
