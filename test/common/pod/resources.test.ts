import { RESOURCES } from '../../value-cases/resources.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on resources', () => testsOf(RESOURCES))
