import type { Condition } from '../../common/api/types.ts'

/** A condition Ready that has its status since noon. */
export const ready = (status: 'True' | 'False', reason: string, time = '12:00:00'): Condition => ({
  type: 'Ready',
  status,
  reason,
  message: '',
  observedGeneration: 1,
  lastTransitionTime: `2026-11-22T${time}Z`,
})
