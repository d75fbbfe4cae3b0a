import { ALL_VALUE_CASES } from '../../value-cases/all.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on the values of pods and workloads', () => testsOf(ALL_VALUE_CASES))
