// The search box of the header: companies and insiders. `/` leads to it from anywhere on the page.
import { goTo, linkTo } from '../route.ts'
import { Combobox, symbolOf } from './combobox.tsx'

export function SearchBox() {
  return (
    <div class="search" role="search">
      <Combobox
        id="search"
        label="Search companies and insiders"
        placeholder="Company or insider"
        isAlone
        onChoose={(found) => {
          goTo(found.kind === 'company' ? linkTo('company', symbolOf(found)) : linkTo('insider', found.cik))
          document.getElementById('search')?.blur()
          return ''
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}
