// A choice of one value in a form of filters. An address can have what the form does not offer, such as two sectors:
// that is shown as it is, and stays when the form is applied.
interface ChoiceProps {
  name: string
  label: string
  values: readonly (readonly [value: string, words: string])[]
  chosen: string | undefined
}

export function Choice({ name, label, values, chosen = '' }: ChoiceProps) {
  const isOther = chosen !== '' && !values.some(([value]) => value === chosen)
  const any = values.some(([value]) => value === '') ? [] : [['', 'any'] as const]
  const other = isOther ? [[chosen, chosen.replaceAll(',', ', ')] as const] : []
  return (
    <label>
      {label}
      <select name={name}>
        {[...any, ...values, ...other].map(([value, words]) => (
          <option key={value} value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
