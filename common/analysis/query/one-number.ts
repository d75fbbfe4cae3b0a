import type { Arm } from '../window-data.ts'
import type { numberInResult } from './series.ts'
import type { WindowAnswer } from './window-query.ts'

type OneNumber = ReturnType<typeof numberInResult>

/** What the query of a metric gave for each arm. Without `control`: the metric is not compared with it. */
export function valueAnswer(treatment: OneNumber, control?: OneNumber): WindowAnswer {
  if (treatment.is === 'failed') return treatment
  if (control?.is === 'failed') return control
  if (treatment.is === 'value' && control === undefined)
    return { is: 'data', data: { is: 'treatmentValue', treatment: treatment.value } }
  if (treatment.is === 'value' && control?.is === 'value')
    return { is: 'data', data: { is: 'value', treatment: treatment.value, control: control.value } }
  const arms: readonly (readonly [Arm, OneNumber | undefined])[] = [
    ['treatment', treatment],
    ['control', control],
  ]
  return { is: 'silent', arms: arms.flatMap(([arm, number]) => (number?.is === 'nothing' ? [arm] : [])) }
}
