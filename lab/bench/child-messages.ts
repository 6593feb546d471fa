import type { ChildProcess } from 'node:child_process'

/** Returns functions that send messages to a child process and receive its next message of a kind. */
export function channelTo<To extends object | string, From extends { kind: string }>(child: ChildProcess) {
  return {
    send(message: To): void {
      child.send(message)
    },
    receive<K extends From['kind']>(kind: K): Promise<Extract<From, { kind: K }>> {
      return new Promise((resolve) => {
        const listen = (message: From) => {
          if (message.kind !== kind) return
          child.off('message', listen)
          resolve(message as Extract<From, { kind: K }>)
        }
        child.on('message', listen)
      })
    },
  }
}
