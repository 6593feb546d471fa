/** An event of a stream of Server-Sent Events (WHATWG HTML, section 9.2.6). */
export interface ServerSentEvent {
  event: string
  data: string
  /** Of this event or the last one before that had one; null while none had. */
  lastId: string | null
}

/**
 * The events of a body, as they come. What stands at its end without being finished is none.
 *
 * @param onBytes is called whenever anything has come
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
    // Whoever reads no further gives the connection up.
    await reader.cancel().catch(() => undefined)
  }
}
