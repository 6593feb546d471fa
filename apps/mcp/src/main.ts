// Serves the operations of a running API to agents (Model Context Protocol). Over stdio, standard output carries only the
// protocol.
import { type ProgramContext, runProgram } from '@dexfeed/service'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { callApi } from './call-api.ts'
import { checkMcp, type McpSettings } from './mcp-arguments.ts'
import { mcpServers } from './mcp-server.ts'
import { serveHttp } from './serve-http.ts'

runProgram('mcp', checkMcp(process.argv.slice(2)), start, { logTo: 'stderr' })

async function start({ settings, log, shutdown }: ProgramContext<McpSettings>): Promise<void> {
  const newServer = mcpServers(callApi({ url: settings.url }))
  if (settings.httpPort !== null) {
    const service = await serveHttp(newServer, settings.httpPort, log)
    shutdown.add('server', () => service.close())
    log.info({ url: service.url, api: settings.url }, 'listening')
    return
  }
  const server = newServer()
  shutdown.add('server', () => server.close())
  process.stdin.once('end', () => shutdown.begin('the client has closed its connection', 0))
  await server.connect(new StdioServerTransport())
  log.info({ api: settings.url }, 'serving standard input')
}
