// The engine's WebAssembly module, as generated from its C++ bindings.
import createModule, { type MainModule } from '../../build/wasm/headflow.js';
import { fetchBinary, unsupported } from './binary';
import { EngineError } from './errors';

export type {
  HeaderReader as WasmHeaderReader,
  Model as WasmModel,
  Region as WasmRegion,
  Session as WasmSession,
} from '../../build/wasm/headflow.js';

/** An instance of the module: its memory holds one model, and ends with it. */
export type WasmModule = MainModule;

const ADDRESS = new URL('../../build/wasm/headflow.wasm', import.meta.url);

export async function loadModule(): Promise<WasmModule> {
  const obstacle = unsupported();
  if (obstacle !== null) throw new EngineError('module', `The engine can't run here: ${obstacle}`);
  try {
    // Under Node the generated code reads its own file.
    return await createModule(ADDRESS.protocol === 'file:' ? {} : { wasmBinary: await fetchBinary(ADDRESS.href) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = 'Reload the page to try again.';
    throw new EngineError('module', `The engine could not be loaded: ${reason}. ${advice}`, { cause: error });
  }
}
