import { createServer } from 'node:net'

export interface WantedPort {
  variable: string
  host: string
  port: number | null
}

/** Checks ports before a start that takes seconds. @throws an error with a line for each port that cannot be used */
export async function assertPortsFree(wanted: readonly WantedPort[]): Promise<void> {
  const problems = await Promise.all(wanted.map(problemOf))
  const lines = problems.filter((problem) => problem !== null)
  if (lines.length > 0) throw new Error(lines.join('\n'))
}

function problemOf({ variable, host, port }: WantedPort): Promise<string | null> {
  if (port === null || port === 0) return Promise.resolve(null)
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? `another program uses port ${port}; end it, or set another one` : message
      resolve(`${variable}: cannot listen on ${host}:${port}: ${reason}`)
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
