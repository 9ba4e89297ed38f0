// The heading of a page, whose words are the title of the window too.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function Heading({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${heading.current!.textContent} · Insider trades`
  })
  return <h1 ref={heading}>{children}</h1>
}
