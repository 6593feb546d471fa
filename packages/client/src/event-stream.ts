/** A Server-Sent Event (WHATWG HTML, section 9.2.6). */
export interface ServerSentEvent {
  event: string
  data: string
  lastId: string | null
}

/**
 * Yields the events of a body as they arrive. Drops an incomplete last event. Calls `onBytes` whenever bytes arrive.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerSentEvent, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let fields = { event: 'message', data: [] as string[] }
  let lastId: string | null = null
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      text += decoder.decode(value, { stream: true })
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      text = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (fields.data.length > 0) yield { event: fields.event, data: fields.data.join('\n'), lastId }
          fields = { event: 'message', data: [] }
          continue
        }
        const [, name, content = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
        if (name === 'event') fields.event = content
        if (name === 'data') fields.data.push(content)
        if (name === 'id' && !content.includes('\0')) lastId = content
      }
    }
  } finally {
    // Closes the connection when the caller stops reading.
    await reader.cancel().catch(() => undefined)
  }
}
