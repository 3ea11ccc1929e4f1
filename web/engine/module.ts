// The engine's WebAssembly module, as generated from its C++ bindings.
import createModule, { type MainModule } from '../../build/wasm/headflow.js';
import { EngineError } from './errors';

export type {
  HeaderReader as WasmHeaderReader,
  Model as WasmModel,
  Region as WasmRegion,
  Session as WasmSession,
} from '../../build/wasm/headflow.js';

/** An instance of the module: its memory holds one model, and ends with it. */
export type WasmModule = MainModule;

export async function loadModule(): Promise<WasmModule> {
  try {
    return await createModule();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = 'It needs a browser with WebAssembly SIMD. Reload the page to try again.';
    throw new EngineError('module', `The engine could not be loaded: ${reason}. ${advice}`, { cause: error });
  }
}
