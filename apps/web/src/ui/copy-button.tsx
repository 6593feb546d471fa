import { useSignal } from '@preact/signals'

/** Copies a text. Browsers offer the clipboard only on localhost and over HTTPS: elsewhere there is no button. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const copied = useSignal('')
  if (navigator.clipboard === undefined) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    copied.value = text
  }
  return (
    <button type="button" class="button" onClick={() => void copy()}>
      {copied.value === text ? 'Copied' : label}
    </button>
  )
}
