// The entry of the one-file page: the worker, the engine and the embedded model are in the file, so nothing is fetched.
import { openWith } from '../engine/client';
import EngineWorker from '../engine/worker?worker&inline';
import '../ui/fonts.css';
import '../app/page';
import { carriedModels } from './carried';

const open = openWith(() => new EngineWorker());
void document.querySelector('hf-page')?.start(open, carriedModels(document));
